import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordBatch {
    /// Deletes a record and, before it, all that refer to it by DELETE_SELF, and so on; each is a change of its own.
    /// A forceDelete of what is not there succeeds and changes nothing: the caller wants it gone.
    func delete(_ operation: RecordOperation) throws -> RecordName {
        guard let name = operation.recordName else {
            throw CloudError.badRequest("\(operation.kind.rawValue) needs the recordName of what is to be deleted")
        }
        let existing = try record(name)
        try check(operation, name, existing)
        guard let existing else { return name }
        try checkAccess(operation, name, existing)
        for referrer in try referrers(of: name) { try remove(referrer) }
        try remove(existing)
        return name
    }

    private func remove(_ record: Record) throws {
        let sequence = try transaction.nextSequence()
        try noteRemoval(of: record, at: sequence)
        try transaction.deleteRecord(id(record.name), at: sequence, time, roots: try sharedRoots(of: record))
        try countUsage(before: record, after: nil, bytes: 0)
        lineage.note(.missing, of: record.name)
        try publish(sequence, .deleted, before: record, after: nil)
        if let share = try record.share.flatMap(stored) { try remove(share) }
        if record.type == .share { try endShare(record, at: sequence) }
    }

    /// What goes with a record, those that refer to others of them first. References may form cycles.
    private func referrers(of name: RecordName) throws -> [Record] {
        var seen: Set<RecordName> = [name]
        var found: [Record] = []
        var next = [name]
        var left = room
        while let target = next.popLast() {
            for referrer in try transaction.cascadingReferrers(of: id(target)) where seen.insert(referrer).inserted {
                guard let stored = try transaction.record(id(referrer)) else { continue }
                left.cascadedRecords -= 1
                left.cascadedBytes -= stored.body.count
                guard left.cascadedRecords >= 0, left.cascadedBytes >= 0 else { throw Self.tooMany(name) }
                sizes[referrer] = stored.body.count
                found.append(try RecordMessage(decoding: stored.body).record())
                next.append(referrer)
            }
        }
        room = left
        return found.reversed()
    }

    private static func tooMany(_ name: RecordName) -> CloudError {
        CloudError(
            .quotaExceeded,
            "deleting '\(name)' would delete more records that refer to it by DELETE_SELF than a request may: \(Limits.cascadedDeletionsMax), or \(Limits.cascadedBytesMax) bytes; delete some of those first"
        )
    }
}
