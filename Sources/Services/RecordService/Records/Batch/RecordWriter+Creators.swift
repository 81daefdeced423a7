import CloudModel
import RecordStore

/// The creators of records of the public database: there limits count the records of one creator, and a deletion takes
/// those of others later.
extension RecordWriter {
    private var isPublic: Bool { setting.database == .public }

    /// Notes the creator and the parent of a saved record.
    func noteCreator(of record: Record, before: Record?) throws {
        guard isPublic else { return }
        if before == nil { try transaction.setCreator(record.created.user, of: setting.id(record.name)) }
        guard record.parent != before?.parent else { return }
        try setLinks(.parent, of: record, to: record.parent.map { [$0] } ?? [])
    }

    /// Notes which records a saved one is deleted with.
    func noteCascades(of record: Record, to targets: Set<RecordName>) throws {
        try transaction.setCascadingReferences(of: setting.id(record.name), to: targets)
        if isPublic { try setLinks(.deleteSelf, of: record, to: targets) }
    }

    private func setLinks(_ kind: RecordLink, of record: Record, to targets: Set<RecordName>) throws {
        try transaction.setLinks(kind, of: setting.id(record.name), createdBy: record.created.user, to: targets)
    }

    /// Leaves what still refers to a deleted record by DELETE_SELF to be deleted in steps.
    func noteDueDeletions(with record: Record, at sequence: CommitSequence) throws {
        let id = setting.id(record.name)
        guard isPublic, try transaction.hasCascadingReferrers(id) else { return }
        try transaction.addDueDeletions(with: id, at: sequence, by: setting.origin)
        commit.tally.leavesWork = true
    }
}
