import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// Encrypted fields and addresses of pushes under another key: in steps, each a commit of its own, beside the running service. It is done again
/// from the start after an interruption, and finds less to do.
extension RecordService {
    /// The outcome of one pass over all records and addresses.
    package struct Resealing: Hashable, Sendable {
        /// Records that were read.
        package var records = 0
        /// Records of which fields were sealed again, and addresses that were.
        package var resealed = 0
        /// Values that no key of the ring opens; they stay as they are.
        package var unreadable = 0
    }

    /// Seals each encrypted field, and each address of pushes, that a former key sealed under the current one. Nothing
    /// else of a record changes: no tag, no time, no feed, and nobody is notified. Addresses are published again.
    /// - Parameter progress: is given the numbers after each step.
    package func resealFields(progress: @Sendable (Resealing) -> Void = { _ in }) async throws -> Resealing {
        var done = Resealing()
        try await resealAddresses(&done)
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

    private func resealAddresses(_ done: inout Resealing) async throws {
        var last: DeviceID?
        while true {
            let after = last
            let page = try await store.read { try $0.pushAddresses(after: after, limit: Self.droppedRecordsStep) }
            guard let end = page.last?.device else { return }
            last = end
            let (resealed, unreadable) = try await commit(in: .whole) { [addressSeals] commit in
                var (resealed, unreadable) = (0, 0)
                for id in Set(page.map(\.device)).sorted() {
                    guard let device = try commit.transaction.device(id)?.device else { continue }
                    for var stored in try commit.transaction.pushAddresses(of: id) {
                        guard let known = try? addressSeals.open(stored.sealed, of: device.user, id, stored.kind) else {
                            unreadable += 1
                            continue
                        }
                        if known.isCurrent { continue }
                        stored.sealed = addressSeals.seal(known.address, of: device.user, id)
                        stored.code = addressSeals.codes(of: known.address, of: device.user, id)[0]
                        try commit.republish(stored, of: device)
                        resealed += 1
                    }
                }
                return (resealed, unreadable)
            }
            done.resealed += resealed
            done.unreadable += unreadable
            try Task.checkCancellation()
        }
    }

    /// Reads the records again in the transaction, as they may have been saved or deleted meanwhile.
    private func reseal(_ numbers: [Int64]) async throws -> Int {
        try await store.write(in: .whole) { [seals] transaction in
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
