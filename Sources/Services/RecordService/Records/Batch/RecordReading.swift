import CloudModel
import RecordStore

/// Reads what the rules need to decide on an operation.
final class RecordReading {
    private let zone: ZoneCommit
    /// A Boolean that tells whether an address leads to the user who has it; otherwise it is an invitation that the user finds
    /// by accepting.
    private let findsUsersByAddress: Bool
    private var room: BatchRoom

    init(_ zone: ZoneCommit, findsUsersByAddress: Bool, room: BatchRoom) {
        self.zone = zone
        self.findsUsersByAddress = findsUsersByAddress
        self.room = room
    }

    /// Reads the records that the operations name in one question.
    func readAhead(_ operations: [RecordOperation]) throws {
        guard operations.count > 1 else { return }
        try zone.records.readAhead(operations.compactMap(\.recordName))
    }

    /// Reads the facts of an operation.
    func facts(for operation: RecordOperation) throws -> RecordFacts {
        let name = operation.recordName ?? RecordName(trusted: UniqueName.make())
        var facts = RecordFacts(name: name)
        facts.existing = operation.recordName == nil ? nil : try zone.records.visible(name)
        let existing = facts.existing?.record
        let type = operation.recordType ?? existing?.type
        if zone.setting.access != nil { try readLine(name, &facts) }
        if zone.setting.database == .public {
            for type in [type, existing?.type].compactMap(\.self) where facts.permissions[type] == nil {
                facts.permissions[type] = try zone.schema.permissions(of: type)
            }
        }
        guard operation.kind != .delete, operation.kind != .forceDelete, let type else { return facts }
        facts.schema = try zone.schema.schema(of: type, saving: operation.fields)
        if type == .share, zone.setting.canBeShared { facts.share = try shareFacts(operation) }
        try readReferences(operation, &facts)
        try readParent(operation, &facts)
        let assets = operation.fields.values.flatMap { $0?.value.assets ?? [] }
        if !assets.isEmpty { facts.assets = try zone.transaction.assets(assets.map(\.fileChecksum)) }
        let setting = zone.setting
        facts.usage = try zone.usage.room(of: [setting.payer(before: existing), setting.origin.user])
        return facts
    }

    private func readLine(_ name: RecordName, _ facts: inout RecordFacts) throws {
        facts.lines[name] = try zone.records.line(from: name)
    }

    private func readReferences(_ operation: RecordOperation, _ facts: inout RecordFacts) throws {
        for reference in operation.fields.values.flatMap({ $0?.value.references ?? [] }) {
            let target = reference.recordName
            if let user = target.user {
                if reference.action == .validate, try zone.transaction.record(RecordID(of: user)) != nil {
                    facts.users.insert(user)
                }
                continue
            }
            switch reference.action {
            case .none: break
            case .validate: try readLine(target, &facts)
            case .deleteSelf:
                facts.cascadingReferrers[target] = try zone.transaction.cascadingReferrerCount(
                    of: zone.setting.id(target), except: facts.name)
            }
        }
    }

    private func readParent(_ operation: RecordOperation, _ facts: inout RecordFacts) throws {
        let existing = facts.existing?.record
        if let parent = RecordRules.parent(operation, existing), zone.setting.access != nil || operation.parent != nil {
            try readLine(parent, &facts)
        }
        guard case .some(let parent?) = operation.parent, facts.lines[parent] != nil,
            existing == nil || existing?.parent != parent
        else { return }
        // Where it is too much to look at, records that lie too deep are cut off from what is shared above them: no walk goes
        // further than the limit.
        let below = try zone.transaction.levels(
            below: zone.setting.id(facts.name), levelsMax: Limits.parentDepthMax, recordsMax: room.movedRecords)
        room.movedRecords -= below.records
        facts.levelsBelow = below.levels
    }

    private func shareFacts(_ operation: RecordOperation) throws -> ShareFacts {
        var facts = ShareFacts(newGUID: UniqueName.make(), counts: try zone.shares.counts())
        facts.root = try operation.share?.root.flatMap(zone.records.visible)
        for participant in operation.share?.participants ?? [] {
            guard case .emailAddress(let address) = participant.person else { continue }
            let key = address.lowercased()
            if facts.addresses[key] == nil { facts.addresses[key] = try addressee(key) }
        }
        return facts
    }

    /// The user whom an address means. A user who may not be found by it is not told by inviting it either.
    private func addressee(_ address: String) throws -> ShareFacts.Addressee {
        if findsUsersByAddress, let known = try zone.transaction.profiles(withEmail: address).first,
            try RecordService.isFound(known.name, zone.transaction)
        {
            return .known(known.name)
        }
        if let invited = try zone.transaction.user(.invited(address)) { return .known(invited) }
        return .new(UserRecordName(trusted: UniqueName.makeUser()))
    }

    /// The records that go with a deleted one by DELETE_SELF, those that refer to others of them first. References may form
    /// cycles.
    /// - Throws: `QUOTA_EXCEEDED` when they are more than the request may delete.
    func cascade(of name: RecordName) throws -> [RecordImage] {
        var seen: Set<RecordName> = [name]
        var found: [RecordImage] = []
        var next = [name]
        var left = room
        while let target = next.popLast() {
            let referrers = try zone.transaction.cascadingReferrers(of: zone.setting.id(target))
            for referrer in referrers where seen.insert(referrer).inserted {
                guard let image = try zone.records.stored(referrer) else { continue }
                try left.take(image, with: name)
                found.append(image)
                next.append(referrer)
            }
        }
        room = left
        return found.reversed()
    }
}
