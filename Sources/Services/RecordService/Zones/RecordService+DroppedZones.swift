import CloudModel
import EventLog
import Messages
import RecordStore
import Telemetry

extension RecordService {
    /// Records that one step removes, and bytes after which it is full: another user's save waits for one step at most.
    static let droppedRecordsStep = 100
    static let droppedBytesStep = 4 << 20

    /// Removes what was in deleted zones, in steps between which others write. What a crash leaves is found again.
    package func removeDroppedZones() async throws {
        let time = now()
        while true {
            let goesOn = try await store.write { transaction in
                let dropped = try transaction.removeDroppedRecords(
                    limit: Self.droppedRecordsStep, bytesMax: Self.droppedBytesStep)
                for body in dropped?.bodies ?? [] {
                    try AssetLedger.count(
                        transaction, before: RecordMessage(decoding: body).record(), after: nil, at: time)
                }
                return dropped != nil
            }
            guard goesOn else { return }
            try Task.checkCancellation()
        }
    }

    /// Does so at the start and after each deletion of a zone.
    func followDroppedZones() async {
        await persistently(failed: { error, pause in
            Log.warning("sweep.failed", ["error": "\(error)", "pause": "\(pause)"])
        }) {
            while true {
                let ticket = droppedBell.register(0)
                do {
                    try await removeDroppedZones()
                } catch {
                    droppedBell.drop(ticket, for: 0)
                    throw error
                }
                await droppedBell.wait(ticket, for: 0)
                try Task.checkCancellation()
            }
        }
    }
}

extension Array {
    /// The elements in parts of so many; none for none.
    func parts(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
