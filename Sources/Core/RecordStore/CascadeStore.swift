package import CloudModel

/// Which records are deleted with another, as their DELETE_SELF references ask for.
package protocol CascadeReader {
    /// The records of a zone whose DELETE_SELF references name a record, by name.
    func cascadingReferrers(of target: RecordID) throws -> [RecordName]

    /// How many records other than `record` have a DELETE_SELF reference to a record.
    func cascadingReferrerCount(of target: RecordID, except record: RecordName) throws -> Int
}

/// Keeps those references.
package protocol CascadeTransaction: CascadeReader {
    /// Sets which records of its zone a saved record is deleted with.
    func setCascadingReferences(of record: RecordID, to targets: Set<RecordName>) throws
}
