package import CloudModel

/// A share as it is looked up: what is shared, with whom. The share's record has the rest.
package struct StoredShare: Hashable, Sendable {
    /// The zone that it is in.
    package var zone: ZoneID
    /// The name of its record.
    package var name: RecordName
    /// What it shares and with whom.
    package var details: Share
    /// The last change after which participants have to read anew what is shared: records came into it or left it without
    /// being changed themselves.
    package var epoch: CommitSequence

    package init(zone: ZoneID, name: RecordName, details: Share, epoch: CommitSequence) {
        self.zone = zone
        self.name = name
        self.details = details
        self.epoch = epoch
    }
}

/// A user's accepted part in a share.
package struct AcceptedShare: Hashable, Sendable {
    /// The zone that the share is in.
    package var zone: ZoneID
    /// The name of its record.
    package var name: RecordName
    /// The record at the top of what is shared; nil is the whole zone.
    package var root: RecordName?
    /// What the user may do.
    package var permission: Share.Permission
    /// The sequence of the acceptance.
    package var accepted: CommitSequence
    /// See `StoredShare`.
    package var epoch: CommitSequence

    package init(
        zone: ZoneID, name: RecordName, root: RecordName?, permission: Share.Permission, accepted: CommitSequence,
        epoch: CommitSequence
    ) {
        self.zone = zone
        self.name = name
        self.root = root
        self.permission = permission
        self.accepted = accepted
        self.epoch = epoch
    }
}

/// What is above a record.
package enum ParentLink: Hashable, Sendable {
    /// There is no such record.
    case missing
    /// The record has no parent.
    case top
    case below(RecordName)
}

/// Shares of private databases' zones, and the hierarchies of records that they share. Nothing here reads records' bodies.
package protocol ShareReader {
    /// The share of a short GUID; nil when there is none.
    func share(shortGUID: String) throws -> StoredShare?

    /// The share of a name; nil when there is none.
    func share(_ name: RecordName, in zone: ZoneID) throws -> StoredShare?

    /// Whether anything of a zone is shared.
    func hasShares(in zone: ZoneID) throws -> Bool

    /// The shares in a zone that have a record at their top; nil stands for the whole zone.
    func shares(in zone: ZoneID, of root: RecordName?) throws -> [StoredShare]

    /// How many shares a zone has, and how many participants they have together.
    func shareCounts(in zone: ZoneID) throws -> (shares: Int, participants: Int)

    /// Those who have accepted a share of a zone, by name.
    func acceptedParticipants(in zone: ZoneID) throws -> [UserRecordName]

    /// The shares that a user has accepted, by zone and name; of one zone, or of all.
    func acceptedShares(of user: UserRecordName, in zone: ZoneID?) throws -> [AcceptedShare]

    /// How many shares a user has accepted.
    func acceptedShareCount(of user: UserRecordName) throws -> Int

    /// What is above a record.
    func parentLink(of id: RecordID) throws -> ParentLink

    /// Whether records of a zone have a record as their parent.
    func hasChildren(_ id: RecordID) throws -> Bool

    /// How many levels of records are below a record, counted no further than `levelsMax`.
    /// - Returns: the levels, and how many records were looked at; `recordsMax` of them means that there may be more.
    func levels(below id: RecordID, levelsMax: Int, recordsMax: Int) throws -> (levels: Int, records: Int)
}

/// Keeps them.
package protocol ShareTransaction: ShareReader {
    /// Saves a share in place of what was there.
    func save(_ share: StoredShare) throws

    /// Deletes a share.
    func deleteShare(_ name: RecordName, in zone: ZoneID) throws
}
