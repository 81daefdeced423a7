/// Where a record lives within one environment: database, zone and name.
package struct RecordID: Hashable, Sendable {
    package var database: DatabaseScope
    package var zone: ZoneID
    package var name: RecordName

    package init(database: DatabaseScope, zone: ZoneID, name: RecordName) {
        self.database = database
        self.zone = zone
        self.name = name
    }
}
