import CloudModel
import RecordStore

/// Writes the decisions of the rules: records, counts, shares and published changes.
struct RecordWriter {
    let zone: ZoneCommit

    var commit: Commit { zone.commit }
    var setting: ZoneSetting { zone.setting }
    var transaction: any StoreTransaction { zone.transaction }

    /// Writes a save.
    func save(_ save: RecordSave) throws {
        let record = save.after.record
        try zone.schema.define(save.given, of: record.type)
        try zone.usage.add(UsageCharge(setting.origin.user, .schemaParts, save.newParts))
        try put(save.after, before: save.before, at: save.sequence, cut: save.cut)
        try noteCreator(of: record, before: save.before?.record)
        try noteMove(of: record, before: save.before?.record, at: save.sequence)
        try noteCascades(of: record, before: save.before?.record)
        try publish(save.before == nil ? .created : .updated, before: save.before, after: save.after, at: save.sequence)
        if record.shareDetails != nil { try settleShare(save) }
    }

    /// Deletes a record, and the share of it.
    func delete(_ image: RecordImage) throws {
        let record = image.record
        let sequence = try transaction.nextSequence()
        try noteRemoval(of: record, at: sequence)
        try zone.records.delete(record.name, at: sequence, roots: try sharedRoots(of: record))
        try count(before: image, after: nil)
        try publish(.deleted, before: image, after: nil, at: sequence)
        try noteDueDeletions(with: record, at: sequence)
        if let share = try record.share.flatMap(zone.records.stored) { try delete(share) }
        if record.type == .share { try endShare(record, at: sequence) }
    }

    /// Saves a record that changes because another did, or because somebody accepted it.
    @discardableResult
    func rewrite(_ image: RecordImage, _ change: (inout Record, CommitSequence) -> Void) throws -> RecordImage {
        let sequence = try transaction.nextSequence()
        var changed = image.record
        changed.changeTag = ChangeTag.make(sequence)
        changed.modified = setting.stamp
        change(&changed, sequence)
        let after = RecordImage(changed)
        try put(after, before: image, at: sequence)
        zone.records.noteRewritten(changed.name)
        try publish(.updated, before: image, after: after, at: sequence)
        return after
    }

    private func put(
        _ after: RecordImage, before: RecordImage?, at sequence: CommitSequence, cut: RecordIndexing.CutTexts? = nil
    ) throws {
        let index = try zone.schema.indexing(of: after.record.type).index(of: after.record, cut: cut)
        try zone.records.save(after, at: sequence, index: index)
        try count(before: before, after: after)
    }

    private func count(before: RecordImage?, after: RecordImage?) throws {
        for charge in UsageCharge.charges(before: before, after: after, setting) { try zone.usage.add(charge) }
    }

    private func publish(
        _ kind: Change.Kind, before: RecordImage?, after: RecordImage?, at sequence: CommitSequence
    ) throws {
        var change = CommittedChange(
            kind: kind, database: setting.database, origin: setting.origin, before: before, after: after)
        if setting.database == .public, let type = (after ?? before)?.record.type {
            change.reader = try zone.schema.permissions(of: type).reader
        }
        try commit.publish(change, at: sequence)
        try publishToParticipants(kind, before: before, after: after)
    }

    /// Remembers which records a saved one is deleted with; costs nothing for those without such references.
    private func noteCascades(of record: Record, before: Record?) throws {
        let targets = record.cascadingReferences
        guard targets != before?.cascadingReferences ?? [] else { return }
        try noteCascades(of: record, to: targets)
    }
}

extension Record {
    /// The records that this one is deleted with.
    fileprivate var cascadingReferences: Set<RecordName> {
        var targets: Set<RecordName> = []
        for entry in fields.entries {
            for reference in entry.value.references where reference.action == .deleteSelf {
                targets.insert(reference.recordName)
            }
        }
        return targets
    }
}
