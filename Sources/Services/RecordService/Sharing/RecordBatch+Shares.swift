import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordBatch {
    /// What a share is to be after an operation; nil for records of other types.
    func shareDetails(
        _ operation: RecordOperation, _ name: RecordName, _ type: RecordType, _ existing: Record?
    ) throws -> Share? {
        guard type == .share else { return nil }
        guard database == .private, zone.name != .defaultZone else {
            throw CloudError.badRequest("only custom zones can be shared, and records in them; make a zone first")
        }
        let given = operation.share ?? GivenShare()
        let old = existing?.shareDetails
        let permission = given.publicPermission ?? old?.publicPermission ?? .none
        var participants = try given.participants.map { try self.participants($0, old) } ?? old?.participants ?? []
        if permission == .none { participants.removeAll(where: \.isPublic) }
        guard participants.count <= Limits.participantsMax else {
            throw CloudError(
                .quotaExceeded,
                "the share '\(name)' has \(participants.count) participants; at most \(Limits.participantsMax) are allowed"
            )
        }
        try checkShares(participants: participants.count, old)
        let root = try old.map(\.root) ?? newRoot(given, name)
        return Share(
            root: root, publicPermission: permission, participants: participants,
            shortGUID: old?.shortGUID ?? UniqueName.make())
    }

    /// All shares of a zone together are bounded: a change names all participants above it.
    func checkShares(participants: Int, _ old: Share?) throws {
        if old == nil { try usage.check(1, .shares, of: zone.owner) }
        let counts = try shares.counts()
        guard old != nil || counts.shares < Limits.sharesPerZoneMax else {
            throw CloudError(
                .quotaExceeded,
                "the zone \(zone.name) has \(counts.shares) shares already; at most \(Limits.sharesPerZoneMax) are allowed"
            )
        }
        let more = participants - (old?.participants.count ?? 0)
        guard more <= 0 || counts.participants + more <= Limits.participantsPerZoneMax else {
            throw CloudError(
                .quotaExceeded,
                "the shares of the zone \(zone.name) have \(counts.participants) participants together; at most \(Limits.participantsPerZoneMax) are allowed"
            )
        }
    }

    private func newRoot(_ given: GivenShare, _ name: RecordName) throws -> RecordName? {
        guard name != .zoneShare else {
            guard given.root == nil else {
                throw CloudError.badRequest("'\(name)' shares the whole zone: send no forRecord, or another recordName")
            }
            return nil
        }
        guard let root = given.root, let record = try record(root) else {
            throw CloudError.badRequest(
                "a share needs forRecord, a record that exists in the zone, or the recordName \(RecordName.zoneShare)")
        }
        guard given.rootChangeTag == nil || given.rootChangeTag == record.changeTag else {
            throw CloudError(
                .conflict,
                "the record '\(root)' was changed since you read it: its recordChangeTag is '\(record.changeTag)'")
        }
        guard record.share == nil, record.type != .share else {
            throw CloudError.badRequest("the record '\(root)' is shared already, or is a share")
        }
        return root
    }

    /// Those who are there already keep their acceptance; the owner is none of them.
    private func participants(_ given: [GivenShare.Participant], _ old: Share?) throws -> [Share.Participant] {
        var seen: Set<UserRecordName> = [zone.owner]
        var people: [Share.Participant] = []
        for participant in given {
            let (user, address) = try user(participant.person, old)
            guard user != zone.owner else { continue }
            guard seen.insert(user).inserted else {
                throw CloudError.badRequest("the participant '\(address ?? user.rawValue)' stands twice in the share")
            }
            var result = Share.Participant(user: user, permission: participant.permission)
            result.emailAddress = address
            if let known = old?.participants.first(where: { $0.user == user }) {
                result.accepted = known.accepted
                result.isPublic = known.isPublic
                result.emailAddress = address ?? known.emailAddress
            }
            people.append(result)
        }
        return people
    }

    /// The user whom a participant means. Whoever has an address and is not known yet gets a record name now, which becomes
    /// the user's own when somebody signs in with the address.
    private func user(
        _ person: GivenShare.Participant.Person, _ old: Share?
    ) throws -> (UserRecordName, address: String?) {
        switch person {
        case .user(let name): return (name, nil)
        case .emailAddress(let address):
            let key = address.lowercased()
            // Who was invited by it before is still meant, whoever has the address now.
            if let known = old?.participants.first(where: { $0.emailAddress?.lowercased() == key }) {
                return (known.user, address)
            }
            // Who may not be found by an address is not told by inviting it either.
            if findsUsersByAddress, let known = try transaction.profiles(withEmail: key).first,
                try RecordService.isFound(known.name, transaction)
            {
                return (known.name, address)
            }
            if let invited = try transaction.user(.invited(key)) { return (invited, address) }
            if let pending = invited.first(where: { $0.address == key }) { return (pending.name, address) }
            let name = UserRecordName(trusted: UniqueName.makeUser())
            invited.append((name, key))
            return (name, address)
        }
    }

    /// Makes a saved share known, ends the access of those it leaves out, and marks what it shares.
    func settleShare(_ record: Record, before: Record?, at sequence: CommitSequence) throws {
        guard let details = record.shareDetails else { return }
        for (name, address) in invited { try transaction.addUser(name, .invited(address), at: time) }
        try usage.add(Int64(invited.count), .invitedAddresses, of: origin.user)
        invited = []
        let known = try transaction.share(record.name, in: zone)
        if known == nil { try usage.add(1, .shares, of: zone.owner) }
        let old = known?.details.participants ?? []
        try transaction.save(
            StoredShare(zone: zone, name: record.name, details: details, epoch: known?.epoch ?? .zero))
        shares.forget(details.root)
        for participant in old where participant.mayRead && !details.grants(participant.user) {
            try endAccess(of: participant, at: sequence)
        }
        for participant in details.participants where participant.mayRead {
            guard old.contains(where: { $0.user == participant.user && !$0.mayRead }) else { continue }
            try renewAccess(of: participant, to: record.name, at: sequence)
        }
        if before == nil, let root = try details.root.flatMap(stored) {
            try rewrite(root) { root, _ in root.share = record.name }
        }
    }

    /// Ends a share whose record was deleted.
    func endShare(_ record: Record, at sequence: CommitSequence) throws {
        guard let details = record.shareDetails else { return }
        if try transaction.share(record.name, in: zone) != nil { try usage.add(-1, .shares, of: zone.owner) }
        try transaction.deleteShare(record.name, in: zone)
        shares.forget(details.root)
        for participant in details.participants { try endAccess(of: participant, at: sequence) }
        if let root = try details.root.flatMap(stored) { try rewrite(root) { root, _ in root.share = nil } }
    }

    /// The user loses the zone, or what is left of it has to be read anew.
    private func endAccess(of participant: Share.Participant, at sequence: CommitSequence) throws {
        guard participant.mayRead else { return }
        let left = try transaction.acceptedShares(of: participant.user, in: zone)
        for accepted in left {
            guard var share = try transaction.share(accepted.name, in: zone) else { continue }
            share.epoch = sequence
            try transaction.save(share)
            shares.forget(accepted.root)
        }
        guard left.isEmpty else { return }
        try transaction.addZoneTombstone(
            ZoneTombstone(id: zone, sequence: sequence), of: participant.user, in: .shared, time)
        try append(.deleted, participants: [participant.user])
    }

    /// Saves a record that changes because another did, or because somebody accepted it.
    @discardableResult
    func rewrite(_ record: Record, _ change: (inout Record, CommitSequence) -> Void) throws -> Record {
        let sequence = try transaction.nextSequence()
        var changed = record
        changed.changeTag = ChangeTag.make(sequence)
        changed.modified = RecordStamp(timestamp: time, user: origin.user, device: origin.device)
        change(&changed, sequence)
        let body = RecordMessage(changed).encoded()
        try countUsage(before: record, after: changed, bytes: body.count)
        try transaction.save(
            StoredRecord(
                id: id(record.name), type: record.type, sequence: sequence, body: body, parent: record.parent),
            index: try schema.indexing(of: record.type).index(of: changed))
        try publish(sequence, .updated, before: record, after: changed)
        return changed
    }
}
