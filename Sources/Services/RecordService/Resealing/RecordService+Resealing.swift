import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// Encrypted fields under another key: in steps, each a commit of its own, beside the running service. It is done again
/// from the start after an interruption, and finds less to do.
extension RecordService {
    /// The outcome of one pass over all records.
    package struct Resealing: Hashable, Sendable {
        /// Records that were read.
        package var records = 0
        /// Records of which fields were sealed again.
        package var resealed = 0
        /// Values that no key of the ring opens; they stay as they are.
        package var unreadable = 0
    }

    /// Seals each encrypted field that a former key sealed under the current one. Nothing else of a record changes: no
    /// tag, no time, no feed, and nobody is notified.
    /// - Parameter progress: is given the numbers after each step.
    package func resealFields(progress: @Sendable (Resealing) -> Void = { _ in }) async throws -> Resealing {
        var done = Resealing()
        var last: Int64 = 0
        while true {
            let page = try await store.read { [last] in
                try $0.recordBodies(after: last, limit: Self.droppedRecordsStep, bytesMax: Self.droppedBytesStep)
            }
            guard let end = page.last?.number else { return done }
            var stale: [Int64] = []
            for row in page {
                let found = seals.resealed(try RecordMessage(decoding: row.body).record())
                done.unreadable += found.unreadable
                if found.record != nil { stale.append(row.number) }
            }
            if !stale.isEmpty { done.resealed += try await reseal(stale) }
            done.records += page.count
            last = end
            progress(done)
            try Task.checkCancellation()
        }
    }

    /// Reads the records again in the transaction, as they may have been saved or deleted meanwhile.
    private func reseal(_ numbers: [Int64]) async throws -> Int {
        try await store.write { [seals] transaction in
            var count = 0
            for number in numbers {
                guard let body = try transaction.recordBody(number),
                    let record = seals.resealed(try RecordMessage(decoding: body).record()).record
                else { continue }
                try transaction.replaceBody(RecordMessage(record).encoded(), of: number)
                count += 1
            }
            return count
        }
    }
}
