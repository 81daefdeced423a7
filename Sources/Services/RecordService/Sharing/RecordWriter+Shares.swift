import CloudModel
import RecordStore

extension RecordWriter {
    /// Makes a saved share known, ends the access of those it leaves out, and marks what it shares.
    func settleShare(_ save: RecordSave) throws {
        let (record, sequence) = (save.after.record, save.sequence)
        guard let details = record.shareDetails else { return }
        for invitation in save.invitations {
            try transaction.addUser(invitation.name, .invited(invitation.address.key), at: setting.time)
        }
        try zone.usage.add(UsageCharge(setting.origin.user, .invitedAddresses, save.invitations.count))
        let known = try transaction.share(record.name, in: setting.zone)
        if known == nil { try zone.usage.add(UsageCharge(setting.zone.owner, .shares, 1)) }
        let old = known?.details.participants ?? []
        try zone.shares.save(
            StoredShare(zone: setting.zone, name: record.name, details: details, epoch: known?.epoch ?? .zero))
        for participant in old where participant.mayRead && !details.grants(participant.user) {
            try endAccess(of: participant, at: sequence)
        }
        for participant in details.participants where participant.mayRead {
            guard old.contains(where: { $0.user == participant.user && !$0.mayRead }) else { continue }
            try renewAccess(of: participant, to: record.name, at: sequence)
        }
        if save.before == nil, let root = try details.root.flatMap(zone.records.stored) {
            try rewrite(root) { root, _ in root.share = record.name }
        }
    }

    /// Ends a share whose record was deleted.
    func endShare(_ record: Record, at sequence: CommitSequence) throws {
        guard let details = record.shareDetails else { return }
        if try transaction.share(record.name, in: setting.zone) != nil {
            try zone.usage.add(UsageCharge(setting.zone.owner, .shares, -1))
        }
        try zone.shares.delete(record.name, of: details.root)
        for participant in details.participants { try endAccess(of: participant, at: sequence) }
        if let root = try details.root.flatMap(zone.records.stored) {
            try rewrite(root) { root, _ in root.share = nil }
        }
    }

    /// The user loses the zone, or has to read the rest of it again.
    private func endAccess(of participant: Share.Participant, at sequence: CommitSequence) throws {
        guard participant.mayRead else { return }
        let left = try transaction.acceptedShares(of: participant.user, in: setting.zone)
        try zone.shares.renew(left, at: sequence)
        guard left.isEmpty else { return }
        try transaction.addZoneTombstone(
            ZoneTombstone(id: setting.zone, sequence: sequence), of: participant.user, in: .shared,
            setting.serviceTime)
        try notify(.deleted, [participant.user])
    }

    /// Brings a zone back to a user who had accepted and may read again.
    private func renewAccess(of participant: Share.Participant, to name: RecordName, at sequence: CommitSequence) throws
    {
        let readable = try transaction.acceptedShares(of: participant.user, in: setting.zone)
        try zone.shares.renew(readable, at: sequence)
        guard !readable.contains(where: { $0.name != name }) else { return }
        try transaction.removeZoneTombstone(setting.zone, of: participant.user, in: .shared)
        try notify(.created, [participant.user])
    }

    /// Notes in a share that a user takes part.
    func accept(_ share: StoredShare, for user: UserRecordName) throws {
        guard user != setting.zone.owner else { return }
        guard try transaction.acceptedShareCount(of: user) < Limits.acceptedSharesMax else {
            throw CloudError.exceeded(
                ExceededLimit("acceptedSharesMax", Limits.acceptedSharesMax, of: .number),
                "a user takes part in at most \(Limits.acceptedSharesMax) shares; leave some first")
        }
        let stored = try zone.records.stored(share.name)
        guard var details = try admitted(user, to: share, stored?.record.shareDetails ?? share.details) else { return }
        let isFirst = try SharedAccess(of: user, in: setting.zone, transaction) == nil
        guard let stored, let index = details.participants.firstIndex(where: { $0.user == user }) else {
            throw CloudError(.notFound, "the share is gone")
        }
        let changed = try rewrite(stored) { record, sequence in
            details.participants[index].accepted = sequence
            record.shareDetails = details
        }
        var saved = share
        saved.details = changed.record.shareDetails ?? details
        try zone.shares.save(saved)
        try transaction.removeZoneTombstone(setting.zone, of: user, in: .shared)
        if isFirst { try notify(.created, [user]) }
    }

    /// The share with a user among its participants; nil when the user has accepted it already.
    private func admitted(_ user: UserRecordName, to share: StoredShare, _ details: Share) throws -> Share? {
        var details = details
        if let participant = details.participants.first(where: { $0.user == user }) {
            return participant.accepted == nil ? details : nil
        }
        if let invited = try RecordService.invited(user, to: share, transaction),
            let index = details.participants.firstIndex(where: { $0.user == invited })
        {
            details.participants[index].user = user
            return details
        }
        guard details.participants.count < Limits.participantsMax else {
            throw CloudError.exceeded(
                ExceededLimit("participantsMax", Limits.participantsMax),
                "the share has \(Limits.participantsMax) participants already")
        }
        try ShareRoom(zone: setting.zone, counts: try zone.shares.counts(), usage: UsageRoom())
            .check(participants: details.participants.count + 1, replacing: details)
        details.participants.append(
            Share.Participant(user: user, permission: details.publicPermission, role: .publicUser))
        return details
    }

    /// Takes a user out of a share.
    func leave(_ name: RecordName, _ user: UserRecordName) throws {
        guard let image = try zone.records.stored(name), var details = image.record.shareDetails,
            details.participants.contains(where: { $0.user == user })
        else {
            // Without a record there is nobody to read it: only the look-up is left over.
            return try transaction.removeParticipant(user, from: name, in: setting.zone)
        }
        details.participants.removeAll { $0.user == user }
        var own = CommitSequence.zero
        let changed = try rewrite(image) { record, sequence in
            own = sequence
            record.shareDetails = details
        }
        try settleShare(
            RecordSave(before: image, after: changed, sequence: own, given: [:], newParts: 0, invitations: []))
    }
}

extension Share.Participant {
    /// True if the user has accepted, and may read the share.
    var mayRead: Bool { accepted != nil && permission != .none }
}

extension Share {
    /// Returns true if a user has accepted and may read the share.
    func grants(_ user: UserRecordName) -> Bool { participants.contains { $0.user == user && $0.mayRead } }
}
