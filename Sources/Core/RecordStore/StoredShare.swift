package import CloudModel

/// A share as it is looked up: its root and participants. The share's record has the rest.
package struct StoredShare: Hashable, Sendable {
    /// The zone that it is in.
    package var zone: ZoneID
    /// The name of its record.
    package var name: RecordName
    /// Its root and participants.
    package var details: Share
    /// The last change after which participants have to read the share again: unchanged records came into it or left
    /// it.
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
    /// The root record; nil is the whole zone.
    package var root: RecordName?
    /// The user's permission.
    package var permission: Share.Permission
    /// The sequence of the acceptance.
    package var accepted: CommitSequence
    /// The epoch of the share, see `StoredShare.epoch`.
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
