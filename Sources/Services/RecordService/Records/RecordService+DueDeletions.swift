import CloudModel
import RecordStore

extension RecordService {
    /// Deletes records of the public database whose targets of DELETE_SELF were deleted by others, in steps between
    /// which others write. After a crash the next run finds the rest.
    func removeDueDeletions() async throws {
        while try await store.read({ try $0.hasDueDeletions() }) {
            try await commit(in: .records) { [self] commit in
                let due = try commit.transaction.takeDueDeletions(
                    limit: Self.droppedRecordsStep, bytesMax: Self.droppedBytesStep)
                guard let due else { return }
                let writer = RecordWriter(zone: zone(.publicDefault, in: .public, of: due.origin, commit))
                for name in due.referrers {
                    // One of an earlier step, where references form a cycle.
                    guard let image = try writer.zone.records.stored(name) else { continue }
                    try writer.delete(image)
                }
            }
            try Task.checkCancellation()
        }
    }
}
