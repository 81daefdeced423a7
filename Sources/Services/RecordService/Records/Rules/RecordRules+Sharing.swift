import CloudModel
import RecordStore

extension RecordRules {
    /// Decides what a share is to be after an operation; nil for records of other types.
    func share(
        _ operation: RecordOperation, _ type: RecordType
    ) throws(CloudError) -> (share: Share?, invitations: [RecordDraft.Invitation]) {
        guard type == .share else { return (nil, []) }
        guard let facts = facts.share else {
            throw .badRequest("only custom zones can be shared, and records in them; make a zone first")
        }
        let given = operation.share ?? GivenShare()
        let old = self.facts.existing?.record.shareDetails
        let permission = given.publicPermission ?? old?.publicPermission ?? .none
        var (participants, invitations) = (old?.participants ?? [], [RecordDraft.Invitation]())
        if let people = given.participants { (participants, invitations) = try self.participants(people, old, facts) }
        if permission == .none { participants.removeAll { $0.role == .publicUser } }
        // Users who came by the public permission follow it, but for those to whom the owner gave another one.
        for place in participants.indices
        where participants[place].role == .publicUser && participants[place].permission == old?.publicPermission {
            participants[place].permission = permission
        }
        guard participants.count <= Limits.participantsMax else {
            throw CloudError.exceeded(
                ExceededLimit("participantsMax", Limits.participantsMax),
                "the share '\(self.facts.name)' has \(participants.count) participants; at most \(Limits.participantsMax) are allowed"
            )
        }
        try ShareRoom(zone: setting.zone, counts: facts.counts, usage: self.facts.usage)
            .check(participants: participants.count, replacing: old)
        let root = if let old { old.root } else { try newRoot(given, facts) }
        let share = Share(
            root: root, publicPermission: permission, participants: participants,
            shortGUID: old?.shortGUID ?? facts.newGUID)
        return (share, invitations)
    }

    private func newRoot(_ given: GivenShare, _ facts: ShareFacts) throws(CloudError) -> RecordName? {
        let name = self.facts.name
        guard name != .zoneShare else {
            guard given.root == nil else {
                throw .badRequest("'\(name)' shares the whole zone: send no forRecord, or another recordName")
            }
            if let share = facts.present {
                throw .alreadyShared(
                    by: share, "records of the zone \(setting.zone.name) are shared already, by the share '\(share)'")
            }
            return nil
        }
        guard let root = given.root else {
            throw .badRequest(
                "a share needs forRecord, a record of the zone, or the recordName \(RecordName.zoneShare)")
        }
        guard let record = facts.root?.record else {
            throw CloudError(
                .validatingReferenceError,
                "the record '\(root)' that is to be shared does not exist in zone \(setting.zone.name)")
        }
        guard given.rootChangeTag == nil || given.rootChangeTag == record.changeTag else {
            throw CloudError(
                .conflict,
                "the record '\(root)' was changed since you read it: its recordChangeTag is '\(record.changeTag)'")
        }
        guard record.type != .share else { throw .badRequest("the record '\(root)' is a share itself") }
        if let share = facts.present {
            throw .alreadyShared(
                by: share,
                "the record '\(root)', one above or below it, or its zone has the share '\(share)' already: a record takes part in one share only"
            )
        }
        return root
    }

    /// Participants who are there already keep their acceptance; the owner is none of them.
    private func participants(
        _ given: [GivenShare.Participant], _ old: Share?, _ facts: ShareFacts
    ) throws(CloudError) -> ([Share.Participant], [RecordDraft.Invitation]) {
        var seen: Set<UserRecordName> = [setting.zone.owner]
        var people: [Share.Participant] = []
        var invitations: [RecordDraft.Invitation] = []
        for participant in given {
            let (user, address, isNew) = Self.user(participant.person, old, facts)
            guard user != setting.zone.owner else { continue }
            guard seen.insert(user).inserted else {
                throw .badRequest("the participant '\(address ?? user.rawValue)' stands twice in the share")
            }
            guard !participant.isRemoved else { continue }
            let known = old?.participants.first { $0.user == user }
            var result = known ?? Share.Participant(user: user, permission: .readOnly)
            result.permission = participant.permission ?? result.permission
            result.emailAddress = address ?? result.emailAddress
            // That somebody came by the public permission is never said from outside.
            if let role = participant.role, role != .publicUser { result.role = role }
            people.append(result)
            if isNew, let address {
                invitations.append(RecordDraft.Invitation(name: user, address: EmailAddress(trusted: address)))
            }
        }
        return (people, invitations)
    }

    /// The user whom a participant means.
    private static func user(
        _ person: GivenShare.Participant.Person, _ old: Share?, _ facts: ShareFacts
    ) -> (UserRecordName, address: String?, isNew: Bool) {
        switch person {
        case .user(let name): return (name, nil, false)
        case .emailAddress(let address):
            let key = EmailAddress(trusted: address)
            // A user who was invited by it before stays the addressee, even if another user has the address now.
            if let known = old?.participants.first(where: { $0.emailAddress.map(EmailAddress.init(trusted:)) == key }) {
                return (known.user, address, false)
            }
            switch facts.addresses[key] {
            case .known(let name)?: return (name, address, false)
            case .new(let name)?: return (name, address, true)
            case nil: preconditionFailure("the address '\(key.key)' was not looked up")
            }
        }
    }
}

/// Room for shares in a zone: a change names all participants above it, so that all of them together are bounded.
struct ShareRoom {
    var zone: ZoneID
    /// Shares of the zone, and their participants.
    var counts: (shares: Int, participants: Int)
    var usage: UsageRoom

    /// Checks that there is room for a share.
    /// - Parameter old: the share that it replaces.
    func check(participants: Int, replacing old: Share?) throws(CloudError) {
        if old == nil { try usage.check(UsageCharge(zone.owner, .shares, 1)) }
        guard old != nil || counts.shares < Limits.sharesPerZoneMax else {
            throw CloudError.exceeded(
                ExceededLimit("sharesPerZoneMax", Limits.sharesPerZoneMax, of: .number),
                "the zone \(zone.name) has \(counts.shares) shares already; at most \(Limits.sharesPerZoneMax) are allowed"
            )
        }
        let more = participants - (old?.participants.count ?? 0)
        guard more <= 0 || counts.participants + more <= Limits.participantsPerZoneMax else {
            throw CloudError.exceeded(
                ExceededLimit("participantsPerZoneMax", Limits.participantsPerZoneMax, of: .number),
                "the shares of the zone \(zone.name) have \(counts.participants) participants together; at most \(Limits.participantsPerZoneMax) are allowed"
            )
        }
    }
}
