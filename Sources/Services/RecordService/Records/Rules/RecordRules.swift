import CloudModel
import RecordStore

/// The rules of `records/modify`: they decide on an operation from the rows that were read. Values in, a decision or an
/// error out.
struct RecordRules {
    let setting: ZoneSetting
    let facts: RecordFacts
    /// Checks the receipts of files.
    let assets: AssetLedger
    /// Seals encrypted fields.
    let seals: FieldSeals

    /// Decides on an operation, without the bytes of the saved record.
    func decide(_ operation: RecordOperation) throws(CloudError) -> RecordDecision {
        switch operation.kind {
        case .create, .update, .forceUpdate, .replace, .forceReplace:
            let draft = try draft(of: operation)
            // Not for callers without the right to read it, as they would learn that it has these values.
            if let before = draft.before, mayRead(before.record), draft.changesNothing { return .keep(before) }
            return .save(draft)
        case .delete, .forceDelete:
            guard operation.recordName != nil else {
                throw .badRequest("\(operation.kind.rawValue) needs the recordName of the record to delete")
            }
            try check(operation)
            guard let existing = facts.existing else { return .nothing }
            if setting.access != nil, existing.record.type == .share {
                try checkLeaving(existing.record)
                try checkTag(operation)
                return .leave(existing)
            }
            try checkAccess(operation)
            try checkTag(operation)
            return .delete(existing)
        }
    }

    private func draft(of operation: RecordOperation) throws(CloudError) -> RecordDraft {
        try check(operation)
        try checkAccess(operation)
        try checkTag(operation)
        let existing = facts.existing?.record
        let type = try recordType(of: operation)
        if existing == nil, setting.database == .public {
            try setting.publicAccess.require(.create, of: type, permissions(of: type), record: nil)
        }
        let (share, invitations) = try share(operation, type)
        let given = try sealed(
            try (facts.schema ?? TypeSchema(type, setting.environment)).typed(operation.fields), existing)
        var fields = operation.kind.isReplacing ? RecordFields() : existing?.fields ?? RecordFields()
        for (field, value) in given { fields[field] = value }
        try checkReferences(given.values)
        try checkParent(operation.parent ?? nil)
        // The file of an unreadable field is not given away.
        try assets.check(given, of: type, existing.flatMap { mayRead($0) ? $0 : nil }, facts.assets)
        let record = Record(
            type: type, name: facts.name, zone: setting.zone, changeTag: "",
            created: existing?.created ?? setting.stamp, modified: setting.stamp, fields: fields,
            parent: Self.parent(operation, existing), share: existing?.share, shareDetails: share)
        try checkShareChange(to: record)
        guard !facts.isTaken else {
            throw CloudError(
                operation.kind == .create ? .exists : .accessDenied,
                "the recordName '\(facts.name)' is taken by a record that you may neither read nor change; choose another one"
            )
        }
        // The first list with elements says what the lists of a new field are of.
        let isOpen = operation.fields.values.contains { $0?.leavesTypeOpen == true }
        let learnt = isOpen ? given.filter { operation.fields[$0.key]??.leavesTypeOpen != true } : given
        return RecordDraft(
            record: record, before: facts.existing, names: Set(given.keys), given: learnt, invitations: invitations)
    }

    /// Decides on a draft whose change has a sequence, and with it its bytes.
    /// - Parameter words: those that the store has of the record as it is, where they are known.
    func finish(
        _ draft: RecordDraft, at sequence: CommitSequence, words: [String]? = nil
    ) throws(CloudError) -> RecordSave {
        var record = draft.record
        record.changeTag = ChangeTag.make(sequence)
        let image = RecordImage(record)
        guard image.body.count <= Limits.recordBytesMax else {
            throw CloudError.exceeded(
                ExceededLimit("recordBytesMax", Limits.recordBytesMax),
                "the record '\(record.name)' has \(image.body.count) bytes; at most \(Limits.recordBytesMax) are allowed"
            )
        }
        let stored = draft.before.flatMap { before in words.map { (before.record, $0) } }
        let index =
            facts.indexing?.size(of: record, stored: stored, cuts: facts.cuts) ?? (rows: 0, words: 0, cut: nil)
        guard index.rows + index.words <= Limits.indexRowsMax else {
            throw CloudError.exceeded(
                ExceededLimit("indexRowsMax", Limits.indexRowsMax),
                "queries would find the record '\(record.name)' by \(index.rows + index.words) elements of lists and different words of texts; at most \(Limits.indexRowsMax) are allowed: divide it, or take an index of a field away"
            )
        }
        for charge in UsageCharge.charges(before: draft.before, after: image, setting) {
            try facts.usage.check(charge)
        }
        let user = setting.origin.user
        try facts.usage.check(UsageCharge(user, .invitedAddresses, draft.invitations.count))
        let parts = try (facts.schema ?? TypeSchema(record.type, setting.environment)).newParts(draft.given)
        try facts.usage.check(UsageCharge(user, .schemaParts, parts))
        return RecordSave(
            before: draft.before, after: image, sequence: sequence, given: draft.given, newParts: parts,
            indexBytes: index.rows * Limits.rowBytes + index.words * Limits.wordBytes, cut: index.cut,
            invitations: draft.invitations)
    }

    /// Checks that the operation may be applied to the stored record.
    private func check(_ operation: RecordOperation) throws(CloudError) {
        for link in operation.zonedLinks { try checkZone(of: link) }
        try checkUser(operation)
        guard let existing = facts.existing?.record else {
            guard !operation.kind.needsRecord else {
                throw CloudError(.notFound, "there is no record '\(facts.name)' in zone \(setting.zone.name)")
            }
            return
        }
        guard operation.kind != .create else {
            throw CloudError(.exists, "the record '\(facts.name)' exists already; use update with its recordChangeTag")
        }
        if setting.database == .public {
            try setting.publicAccess.require(
                .write, of: existing.type, permissions(of: existing.type), record: existing)
        }
    }

    /// The given values, those of encrypted fields sealed. What the public database has, everybody reads.
    private func sealed(
        _ given: [FieldName: FieldValue?], _ existing: Record?
    ) throws(CloudError) -> [FieldName: FieldValue?] {
        var sealed = given
        for (field, value) in given {
            guard let value, value.type.isEncrypted else { continue }
            guard setting.database != .public else {
                throw .badRequest("the field '\(field)' is \(value.type): the public database has no encrypted fields")
            }
            sealed[field] = .some(
                seals.sealed(value, field, of: facts.name, in: setting.zone, replacing: existing?.fields[field]))
        }
        return sealed
    }

    private func recordType(of operation: RecordOperation) throws(CloudError) -> RecordType {
        let existing = facts.existing?.record
        guard let given = operation.recordType ?? existing?.type else {
            throw .badRequest("\(operation.kind.rawValue) needs a recordType")
        }
        if let existing, existing.type != given {
            throw .badRequest(
                "the record '\(existing.name)' is of type \(existing.type), not \(given); types cannot change")
        }
        return given
    }

    func permissions(of type: RecordType) -> TypePermissions { facts.permissions[type] ?? .standard }

    /// The parent of a record after an operation.
    static func parent(_ operation: RecordOperation, _ existing: Record?) -> RecordName? {
        operation.parent ?? (operation.kind.isReplacing ? nil : existing?.parent)
    }

    /// True if the caller may see the record.
    func isVisible(_ name: RecordName) -> Bool {
        facts.lines[name].map { setting.permission(for: $0.names) != .none } ?? false
    }
}
