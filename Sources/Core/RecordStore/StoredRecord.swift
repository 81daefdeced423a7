package import CloudModel

/// A record as the store keeps it: its keys, and its encoded form.
package struct StoredRecord: Hashable, Sendable {
    /// The record's name, zone and database.
    package var id: RecordID
    /// The type of the record.
    package var type: RecordType
    /// The change that last saved it.
    package var sequence: CommitSequence
    /// The record as it is published; the store does not look into it.
    package var body: [UInt8]
    /// The record's parent; written only, for hierarchies.
    package var parent: RecordName?

    package init(id: RecordID, type: RecordType, sequence: CommitSequence, body: [UInt8], parent: RecordName? = nil) {
        self.id = id
        self.type = type
        self.sequence = sequence
        self.body = body
        self.parent = parent
    }
}
