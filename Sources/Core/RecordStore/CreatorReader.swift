package import CloudModel

/// A link from a record of the public database to another one.
package enum RecordLink: Int64, Sendable {
    /// The record above it.
    case parent = 0
    /// A record that it is deleted with.
    case deleteSelf = 1
}

/// Reads of the creators of records of the public database. Records that an older version of the program saved have no
/// creator here, and no links.
package protocol CreatorReader {
    /// The type and creator of a record, without its body; nil when there is none.
    func typeAndCreator(of id: RecordID) throws -> (type: RecordType, creator: UserRecordName?)?

    /// The records with a DELETE_SELF reference to a record that one user created, by name.
    func cascadingReferrers(of target: RecordID, createdBy creator: UserRecordName) throws -> [RecordName]

    /// The number of records other than `record` with a DELETE_SELF reference to a record that one user created.
    func cascadingReferrerCount(
        of target: RecordID, except record: RecordName, createdBy creator: UserRecordName
    ) throws -> Int

    /// The levels of one user's records below a record, each below one of the same user's, and the number of those that
    /// were looked at: no more than `recordsMax`.
    func levels(
        below id: RecordID, createdBy creator: UserRecordName, levelsMax: Int, recordsMax: Int
    ) throws -> (levels: Int, records: Int)

    /// The first of one user's records below a record, directly, that is wanted by its name and type.
    func child(
        of id: RecordID, createdBy creator: UserRecordName, where isWanted: (RecordName, RecordType) throws -> Bool
    ) throws -> RecordName?

    /// Returns true if any record has a DELETE_SELF reference to a record.
    func hasCascadingReferrers(_ target: RecordID) throws -> Bool

    /// Returns true if records are still to be deleted with others.
    func hasDueDeletions() throws -> Bool
}

/// Writes of the creators of records of the public database.
package protocol CreatorTransaction: CreatorReader {
    /// Notes the creator of a new record.
    func setCreator(_ creator: UserRecordName, of id: RecordID) throws

    /// Sets a record's links of a kind.
    func setLinks(
        _ kind: RecordLink, of id: RecordID, createdBy creator: UserRecordName, to targets: Set<RecordName>
    ) throws

    /// Notes that what refers to a record, which was just deleted, is to be deleted with it.
    func addDueDeletions(with target: RecordID, at sequence: CommitSequence, by origin: Origin) throws

    /// Takes the next records that are to be deleted: at most `limit`, and no more once they have `bytesMax` bytes.
    /// - Returns: nil if there are none.
    func takeDueDeletions(limit: Int, bytesMax: Int) throws -> DueDeletions?
}
