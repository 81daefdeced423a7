/// A record as it is stored, published and answered.
package struct Record: Hashable, Sendable {
    package var type: RecordType
    package var name: RecordName
    package var zone: ZoneID
    /// Changes with every save; a client sends it back to prove that it knew the latest version.
    package var changeTag: String
    package var created: RecordStamp
    package var modified: RecordStamp
    package var fields: RecordFields
    /// The record above this one in a hierarchy that can be shared as one; in the same zone.
    package var parent: RecordName?

    package init(
        type: RecordType, name: RecordName, zone: ZoneID, changeTag: String, created: RecordStamp,
        modified: RecordStamp, fields: RecordFields, parent: RecordName? = nil
    ) {
        self.type = type
        self.name = name
        self.zone = zone
        self.changeTag = changeTag
        self.created = created
        self.modified = modified
        self.fields = fields
        self.parent = parent
    }
}
