import CloudModel
import RecordStore

extension RecordBatch {
    /// Whether a participant may do this: write what is shared to be written, and keep it within what is shared.
    func checkAccess(_ operation: RecordOperation, _ name: RecordName, _ existing: Record?) throws {
        guard let access else { return }
        guard (operation.recordType ?? existing?.type) != .share, existing?.type != .share else {
            throw CloudError(.accessDenied, "only the owner of the zone changes the share '\(name)'")
        }
        if let existing {
            guard try access.permission(for: existing, stored) == .readWrite else {
                throw CloudError(.accessDenied, "the record '\(name)' is shared with you for reading only")
            }
        } else if try stored(name) != nil {
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
        guard let above = try parent.flatMap(record), try access.permission(for: above, stored) == .readWrite else {
            throw CloudError(
                .accessDenied, "the record '\(name)' needs a parent that is shared with you for reading and writing")
        }
    }

    /// The shared records that a record is below, or is itself.
    func sharedRoots(of record: Record) throws -> [RecordName] {
        let roots = try sharesOfZone().compactMap(\.details.root)
        guard !roots.isEmpty else { return [] }
        let above = try chain(of: record)
        return roots.filter(above.contains)
    }

    /// A record that moves, or comes between others, takes what is below it along: its readers have to begin anew.
    func noteMove(of record: Record, before: Record?, at sequence: Sequence) throws {
        guard try sharesOfZone().contains(where: { $0.details.root != nil }),
            before == nil || before?.parent != record.parent
        else { return }
        guard try before != nil || transaction.hasChildren(id(record.name)) else { return }
        try beginAnew(chain(of: before).union(chain(of: record)), at: sequence)
    }

    /// What was below a record that is deleted is no longer shared.
    func noteRemoval(of record: Record, at sequence: Sequence) throws {
        guard try sharesOfZone().contains(where: { $0.details.root != nil }),
            try transaction.hasChildren(id(record.name))
        else { return }
        try beginAnew(chain(of: record), at: sequence)
    }

    private func beginAnew(_ records: Set<RecordName>, at sequence: Sequence) throws {
        for var share in try sharesOfZone() where share.details.root.map(records.contains) ?? false {
            share.epoch = sequence
            try transaction.save(share)
        }
        shares = nil
    }

    /// The shares in the zone; only custom zones of private databases have any.
    func sharesOfZone() throws -> [StoredShare] {
        guard database == .private, zone.name != .defaultZone else { return [] }
        if let shares { return shares }
        let found = try transaction.shares(in: zone)
        shares = found
        return found
    }

    /// A record and all above it.
    func chain(of record: Record?) throws -> Set<RecordName> {
        var names: Set<RecordName> = []
        var next = record
        while let current = next, names.insert(current.name).inserted { next = try current.parent.flatMap(stored) }
        return names
    }
}
