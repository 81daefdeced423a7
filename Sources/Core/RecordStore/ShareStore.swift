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
    package var epoch: Sequence

    package init(zone: ZoneID, name: RecordName, details: Share, epoch: Sequence) {
        self.zone = zone
        self.name = name
        self.details = details
        self.epoch = epoch
    }
}

/// Shares of private databases' zones.
package protocol ShareReader {
    /// The share of a short GUID; nil when there is none.
    func share(shortGUID: String) throws -> StoredShare?

    /// The shares in a zone, by name.
    func shares(in zone: ZoneID) throws -> [StoredShare]

    /// Whether records of a zone have a record as their parent.
    func hasChildren(_ id: RecordID) throws -> Bool

    /// The zones that a user takes part in, having accepted, by owner and name.
    func zonesShared(with user: UserRecordName) throws -> [ZoneID]
}

/// Keeps them.
package protocol ShareTransaction: ShareReader {
    /// Saves a share in place of what was there.
    func save(_ share: StoredShare) throws

    /// Deletes a share.
    func deleteShare(_ name: RecordName, in zone: ZoneID) throws
}
