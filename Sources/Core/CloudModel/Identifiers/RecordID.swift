/// The address of a record within one environment: database, zone and name.
package struct RecordID: Hashable, Sendable {
    /// The database that the record is in.
    package var database: DatabaseScope
    /// The zone of the database.
    package var zone: ZoneID
    /// The name, unique within the zone.
    package var name: RecordName

    package init(database: DatabaseScope, zone: ZoneID, name: RecordName) {
        self.database = database
        self.zone = zone
        self.name = name
    }

    /// The record of a user.
    package init(of user: UserRecordName) {
        self.init(database: .public, zone: .publicDefault, name: RecordName(of: user))
    }
}
