import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import Stages
import Telemetry
import Waiting

extension RecordService {
    /// Records that one step removes, and bytes after which it is full: another user's save waits for one step at most.
    static let droppedRecordsStep = 100
    static let droppedBytesStep = 4 << 20

    /// Removes the content of deleted and emptied zones, and records that deletions left, in steps between which others
    /// write. After a crash the next run finds the rest.
    package func removeDroppedZones() async throws {
        try await removeDueDeletions()
        while true {
            let goesOn = try await commit(in: .whole) { [self] commit in
                let transaction = commit.transaction
                let dropped = try transaction.removeDroppedRecords(
                    limit: Self.droppedRecordsStep, bytesMax: Self.droppedBytesStep)
                guard let dropped else { return false }
                let images = try dropped.bodies.map { try RecordImage(stored: $0) }
                if let origin = dropped.origin {
                    try publishDeletions(of: images, by: origin, commit)
                } else {
                    try commit.discard(images.map(\.record))
                }
                let records = images.map(\.record)
                let bytes = dropped.bodies.reduce(0) { $0 + $1.count }
                try transaction.addUsage(-Int64(records.count), .privateRecords, of: dropped.owner)
                try transaction.addUsage(-Int64(bytes), .privateBytes, of: dropped.owner)
                try transaction.addUsage(-records.reduce(0) { $0 + $1.assetBytes }, .assetBytes, of: dropped.owner)
                return true
            }
            guard goesOn else { return }
            try Task.checkCancellation()
        }
    }

    /// Publishes that the records of an emptied zone are deleted, but for those that were made again meanwhile: their
    /// creation comes before this. Backpressure ends the step, and the next run goes on.
    private func publishDeletions(of images: [RecordImage], by origin: Origin, _ commit: Commit) throws {
        for image in images {
            let (name, zone) = (image.record.name, image.record.zone)
            if try commit.transaction.parentLink(of: RecordID(database: .private, zone: zone, name: name)) == .missing {
                try commit.publish(
                    CommittedChange(kind: .deleted, database: .private, origin: origin, before: image))
            } else {
                try commit.discard([image.record])
            }
        }
        try deliveryWatch.check(commit.tally.changes)
    }

    /// Does so at the start, after each deletion of a zone, and after deletions that leave records of others.
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
