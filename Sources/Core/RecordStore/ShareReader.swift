package import CloudModel

/// The link from a record to its parent.
package enum ParentLink: Hashable, Sendable {
    /// There is no such record.
    case missing
    /// The record has no parent.
    case top
    case below(RecordName)
}

/// Reads of shares in private databases' zones, and of the hierarchies of records that they share. None reads records'
/// bodies.
package protocol ShareReader {
    /// The share of a short GUID; nil when there is none.
    func share(shortGUID: String) throws -> StoredShare?

    /// The share of a name; nil when there is none.
    func share(_ name: RecordName, in zone: ZoneID) throws -> StoredShare?

    /// Returns true if anything of a zone is shared.
    func hasShares(in zone: ZoneID) throws -> Bool

    /// The shares in a zone that have a record at their top; nil stands for the whole zone.
    func shares(in zone: ZoneID, of root: RecordName?) throws -> [StoredShare]

    /// A share of a record below one, at any level; nil stands for the whole zone.
    func share(below root: RecordName?, in zone: ZoneID) throws -> RecordName?

    /// The number of shares in a zone, and of their participants together.
    func shareCounts(in zone: ZoneID) throws -> (shares: Int, participants: Int)

    /// The users who have accepted a share of a zone, by name.
    func acceptedParticipants(in zone: ZoneID) throws -> [UserRecordName]

    /// The shares that a user has accepted, by zone and name; of one zone, or of all.
    func acceptedShares(of user: UserRecordName, in zone: ZoneID?) throws -> [AcceptedShare]

    /// The number of shares that a user has accepted.
    func acceptedShareCount(of user: UserRecordName) throws -> Int

    /// The link from a record to its parent.
    func parentLink(of id: RecordID) throws -> ParentLink

    /// Returns true if a record is the parent of others.
    func hasChildren(_ id: RecordID) throws -> Bool

    /// The first record below a record, directly, that is wanted.
    func child(of id: RecordID, where isWanted: (RecordName) throws -> Bool) throws -> RecordName?

    /// The number of levels of records below a record, counted no further than `levelsMax`.
    /// - Returns: the levels, and how many records were looked at; `recordsMax` of them means that there may be more.
    func levels(below id: RecordID, levelsMax: Int, recordsMax: Int) throws -> (levels: Int, records: Int)
}

/// Writes of shares.
package protocol ShareTransaction: ShareReader {
    /// Saves a share in place of the old one.
    func save(_ share: StoredShare) throws

    /// Deletes a share.
    func deleteShare(_ name: RecordName, in zone: ZoneID) throws
}
