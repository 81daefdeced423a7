import CloudModel
import RecordStore

/// Reads what the rules need to decide on an operation.
final class RecordReading {
    let zone: ZoneCommit
    /// True if an address leads to a user who may be found; otherwise it is an invitation that the user finds by
    /// accepting.
    private let findsUsersByAddress: Bool

    init(_ zone: ZoneCommit, findsUsersByAddress: Bool) {
        self.zone = zone
        self.findsUsersByAddress = findsUsersByAddress
    }

    /// Reads the records that operations name in one question.
    func readAhead(_ names: [RecordName]) throws {
        guard names.count > 1 else { return }
        try zone.records.readAhead(names)
    }

    /// Reads the facts of an operation.
    /// - Parameter place: of the operation in the request.
    func facts(for operation: RecordOperation, at place: Int, _ run: inout BatchRun) throws -> RecordFacts {
        try operation.checkReferenceCount()
        let name = operation.recordName ?? RecordName(trusted: UniqueName.make())
        var facts = RecordFacts(name: name)
        facts.existing = operation.recordName == nil ? nil : try zone.records.visible(name)
        try hide(name, &facts)
        let existing = facts.existing?.record
        let type = operation.recordType ?? existing?.type
        if zone.setting.access != nil { try readLine(name, &facts) }
        if zone.setting.database == .public {
            for type in [type, existing?.type].compactMap(\.self) where facts.permissions[type] == nil {
                facts.permissions[type] = try zone.schema.permissions(of: type)
            }
        }
        guard !operation.isDeletion, let type else { return facts }
        facts.schema = try zone.schema.schema(of: type, saving: operation.fields)
        if type == .share, zone.setting.canBeShared {
            facts.share = try shareFacts(operation, isNew: existing == nil)
        }
        let fate = { [run] in run.fate(of: $0, for: place) }
        try readReferences(operation, fate, &facts)
        try readParent(operation, fate, &facts, &run.room)
        let assets = operation.fields.values.flatMap { $0?.value.assets ?? [] }
        if !assets.isEmpty { facts.assets = try zone.transaction.assets(assets.map(\.fileChecksum)) }
        let setting = zone.setting
        facts.indexing = try zone.schema.indexing(of: type)
        facts.cuts = run.cuts[place] ?? [:]
        facts.usage = try zone.usage.room(of: [setting.payer(before: existing), setting.origin.user])
        return facts
    }

    /// The words that the store has of a record whose long texts stay: cutting these again takes longer.
    /// - Returns: nil where they have to be cut.
    func storedWords(of draft: RecordDraft, _ facts: RecordFacts) throws -> [String]? {
        guard let before = draft.before, before.body.count > Limits.indexRowsMax,
            facts.indexing?.hasSameTexts(draft.record, before.record) == true
        else { return nil }
        return try zone.transaction.words(of: zone.setting.id(facts.name))
    }

    private func readLine(_ name: RecordName, _ facts: inout RecordFacts) throws {
        guard try allows(.read, on: name) else { return }
        facts.lines[name] = try zone.records.line(from: name)
    }

    private typealias Fates = (RecordName) -> BatchRun.Fate?

    private func readReferences(
        _ operation: RecordOperation, _ fate: Fates, _ facts: inout RecordFacts
    ) throws {
        for reference in operation.fields.values.flatMap({ $0?.value.references ?? [] }) {
            let target = reference.recordName
            if let user = target.user {
                if reference.action == .validate, try mayRead(user) { facts.users.insert(user) }
                continue
            }
            switch reference.action {
            case .none: break
            case .validate:
                switch fate(target) {
                case .saved: facts.coming.insert(target)
                case .deleted: break
                case nil: try readLine(target, &facts)
                }
            case .deleteSelf:
                facts.cascadingReferrers[target] = try referrerCount(of: target, facts)
            }
        }
    }

    private func readParent(
        _ operation: RecordOperation, _ fate: Fates, _ facts: inout RecordFacts, _ room: inout BatchRoom
    ) throws {
        let existing = facts.existing?.record
        if let parent = RecordRules.parent(operation, existing), zone.setting.access != nil || operation.parent != nil,
            existing?.parent == parent || fate(parent) != .deleted
        {
            try readLine(parent, &facts)
        }
        guard case .some(let parent?) = operation.parent, facts.lines[parent] != nil,
            existing == nil || existing?.parent != parent
        else { return }
        facts.isParentWritable = try allows(.write, on: parent)
        // If that is too much to read, records that lie too deep lose the access by shares above them: no walk goes
        // further than the limit.
        let below = try levels(below: facts, recordsMax: room.movedRecords)
        room.movedRecords -= below.records
        facts.levelsBelow = below.levels
        facts.gainedShare = try gainedShare(facts, below: parent)
    }

    /// A share that a record comes below which has one itself, or has one below it.
    private func gainedShare(_ facts: RecordFacts, below parent: RecordName) throws -> RecordName? {
        guard try zone.shares.exist() else { return nil }
        let before = try zone.shares.of(zone.records.line(of: facts.existing?.record)).map(\.name)
        let above = try zone.shares.of(facts.lines[parent]?.names ?? []).map(\.name)
        guard let gained = above.first(where: { !before.contains($0) }) else { return nil }
        let isShared = try !zone.shares.of([facts.name]).isEmpty || zone.shares.below(facts.name) != nil
        return isShared ? gained : nil
    }

    private func shareFacts(_ operation: RecordOperation, isNew: Bool) throws -> ShareFacts {
        var facts = ShareFacts(newGUID: UniqueName.make(), counts: try zone.shares.counts())
        facts.root = try operation.share?.root.flatMap(zone.records.visible)
        if isNew {
            let root = operation.recordName == .zoneShare ? nil : facts.root?.record
            facts.present =
                try zone.shares.ofZone().first?.name
                ?? root.flatMap { try zone.shares.of(zone.records.line(of: $0)).first?.name }
                ?? (root != nil || operation.recordName == .zoneShare ? zone.shares.below(root?.name) : nil)
        }
        for participant in operation.share?.participants ?? [] {
            guard case .emailAddress(let address) = participant.person else { continue }
            let key = try EmailAddress(address)
            if facts.addresses[key] == nil { facts.addresses[key] = try addressee(key) }
        }
        return facts
    }

    /// The user of an address. An invitation does not reveal a user who may not be found by it.
    private func addressee(_ address: EmailAddress) throws -> ShareFacts.Addressee {
        let profiles = VisibleProfiles(zone.transaction, for: nil, areUsersDiscoverable: findsUsersByAddress)
        if let known = try profiles.found(by: .email(address.key)) { return .known(known.name) }
        if let invited = try zone.transaction.user(.invited(address.key)) { return .known(invited) }
        return .new(UserRecordName(trusted: UniqueName.makeUser()))
    }

    /// The records that DELETE_SELF deletes with a record, those that refer to others of them first. References may
    /// form cycles. In the public database these are those of the same creator; others follow (`noteDueDeletions`).
    /// - Throws: `QUOTA_EXCEEDED` if they are more, or have more bytes, than the request may delete;
    ///   `VALIDATING_REFERENCE_ERROR` if a record below one of them stays.
    func cascade(of image: RecordImage, _ room: inout BatchRoom) throws -> BatchRun.Cascade {
        let (name, creator) = (image.record.name, image.record.created.user)
        var doomed: Set<RecordName> = [name]
        var found: [RecordName] = []
        var next = [name]
        while let target = next.popLast() {
            for referrer in try referrers(of: target, createdBy: creator) where doomed.insert(referrer).inserted {
                found.append(referrer)
                next.append(referrer)
            }
            guard found.count <= room.cascadedRecords else { break }
        }
        var left = room
        try left.takeCascade(found.count, with: name)
        if !found.isEmpty {
            let bytes = try zone.transaction.bodyBytes(found.map(zone.setting.id))
            // Each is read, and published as it was.
            try left.check(2 * bytes + found.count * Limits.rowBytes, for: name)
        }
        room = left
        for record in image.record.type == .share ? [] : [name] + found {
            guard let child = try child(of: record, madeBy: creator, except: doomed) else { continue }
            let also = record == name ? "" : " deletes '\(record)' by DELETE_SELF, which"
            throw CloudError(
                .validatingReferenceError,
                "the deletion of '\(name)'\(also) would leave records below it without their parent, such as '\(child)'; delete them in the same request, or move them"
            )
        }
        return BatchRun.Cascade(doomed: doomed, rest: found)
    }
}

extension RecordOperation {
    /// Checks that no more references have to be followed than one record may have.
    fileprivate func checkReferenceCount() throws(CloudError) {
        var count = 0
        for value in fields.values {
            count += value?.value.references.count { $0.action != .none } ?? 0
        }
        guard count <= Limits.followedReferencesMax else {
            throw CloudError.exceeded(
                ExceededLimit("followedReferencesMax", Limits.followedReferencesMax),
                "the record has \(count) references with VALIDATE or DELETE_SELF; at most \(Limits.followedReferencesMax) are allowed, as each is followed when it is saved"
            )
        }
    }
}
