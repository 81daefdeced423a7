import CloudModel
import RecordStore

extension RecordBatch {
    /// Whether a participant may do this: write what is shared to be written, and keep it within what is shared.
    func checkAccess(_ operation: RecordOperation, _ name: RecordName, _ existing: Record?) throws {
        guard let access else { return }
        guard (operation.recordType ?? existing?.type) != .share, existing?.type != .share else {
            throw CloudError(.accessDenied, "only the owner of the zone changes the share '\(name)'")
        }
        if existing != nil {
            guard try permission(for: name) == .readWrite else {
                throw CloudError(.accessDenied, "the record '\(name)' is shared with you for reading only")
            }
        } else if try lineage.link(of: name) != .missing {
            throw CloudError(.accessDenied, "the record '\(name)' is not shared with you")
        }
        if operation.kind == .delete || operation.kind == .forceDelete {
            guard !access.isRoot(name) else {
                throw CloudError(.accessDenied, "only its owner deletes '\(name)', the top of what is shared")
            }
            return
        }
        guard access.wholeZone != .readWrite else { return }
        let parent = operation.parent ?? (operation.kind.isReplacing ? nil : existing?.parent)
        if access.isRoot(name), parent == existing?.parent { return }
        guard let parent, try isVisible(parent), try permission(for: parent) == .readWrite else {
            throw CloudError(
                .accessDenied, "the record '\(name)' needs a parent that is shared with you for reading and writing")
        }
    }

    /// The shared records that a record is below, or is itself.
    func sharedRoots(of record: Record) throws -> [RecordName] {
        guard try shares.exist() else { return [] }
        return try shares.of(lineage.line(of: record)).compactMap(\.details.root)
    }

    /// A record that moves, or comes between others, takes what is below it along: its readers have to begin anew.
    func noteMove(of record: Record, before: Record?, at sequence: CommitSequence) throws {
        guard try shares.exist(), before == nil || before?.parent != record.parent else { return }
        guard try before != nil || transaction.hasChildren(id(record.name)) else { return }
        try beginAnew(line(of: before, record), at: sequence)
    }

    /// What was below a record that is deleted is no longer shared.
    func noteRemoval(of record: Record, at sequence: CommitSequence) throws {
        guard try shares.exist(), try transaction.hasChildren(id(record.name)) else { return }
        try beginAnew(lineage.line(of: record), at: sequence)
    }

    private func beginAnew(_ records: [RecordName], at sequence: CommitSequence) throws {
        for var share in try shares.of(records) {
            share.epoch = sequence
            try transaction.save(share)
            shares.forget(share.details.root)
        }
    }

    /// A record before and after a change with all above it, each once.
    private func line(of before: Record?, _ after: Record?) throws -> [RecordName] {
        var seen: Set<RecordName> = []
        return try (lineage.line(of: before) + lineage.line(of: after)).filter { seen.insert($0).inserted }
    }
}
