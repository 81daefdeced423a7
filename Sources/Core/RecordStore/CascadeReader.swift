package import CloudModel

/// Reads of DELETE_SELF references: a record is deleted with the records that it references so.
package protocol CascadeReader {
    /// The records of a zone whose DELETE_SELF references name a record, by name.
    func cascadingReferrers(of target: RecordID) throws -> [RecordName]

    /// The number of records other than `record` with a DELETE_SELF reference to a record.
    func cascadingReferrerCount(of target: RecordID, except record: RecordName) throws -> Int
}

/// Writes of DELETE_SELF references.
package protocol CascadeTransaction: CascadeReader {
    /// Sets which records of its zone a saved record is deleted with.
    func setCascadingReferences(of record: RecordID, to targets: Set<RecordName>) throws
}
