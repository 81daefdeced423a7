/// A record as it is stored, published and answered.
package struct Record: Hashable, Sendable {
    /// The type, which never changes.
    package var type: RecordType
    /// The name, unique within its zone.
    package var name: RecordName
    /// The zone that it is in.
    package var zone: ZoneID
    /// Changes with every save; a client sends it back to prove that it knew the latest version.
    package var changeTag: String
    /// The stamp of the record's creation.
    package var created: RecordStamp
    /// The stamp of the last save.
    package var modified: RecordStamp
    /// The values.
    package var fields: RecordFields
    /// The record above this one in a hierarchy that can be shared as one; in the same zone.
    package var parent: RecordName?
    /// The name of the record that shares this one and its descendants.
    package var share: RecordName?
    /// The details of a share, its title and participants; in records of the type `cloudkit.share` only.
    package var shareDetails: Share?
    /// The fields of which an answer has the beginning only; empty wherever a record is stored or published.
    package var cuts: [FieldName: ValueCut] = [:]

    package init(
        type: RecordType, name: RecordName, zone: ZoneID, changeTag: String, created: RecordStamp,
        modified: RecordStamp, fields: RecordFields, parent: RecordName? = nil,
        share: RecordName? = nil, shareDetails: Share? = nil
    ) {
        self.type = type
        self.name = name
        self.zone = zone
        self.changeTag = changeTag
        self.created = created
        self.modified = modified
        self.fields = fields
        self.parent = parent
        self.share = share
        self.shareDetails = shareDetails
    }
}
