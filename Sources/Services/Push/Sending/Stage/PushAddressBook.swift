package import CloudMessages
package import CloudModel
package import EventLog
import Synchronization
import Telemetry
import Timing
import Waiting

/// The addresses of devices, as `push-addresses` has them: a table for each partition that is followed.
package final class PushAddressBook: PushAddresses {
    /// Has a dead address removed from the store, which publishes the removal then.
    package typealias Removal =
        @Sendable (
            _ address: RegisteredPushAddress, _ device: DeviceID, _ epoch: DeviceEpoch, _ user: UserRecordName,
            _ reason: PushFailure
        ) async throws -> Void

    private struct Shelf {
        var table: PushAddressTable
        /// True once it has been read to the end that it had when the following began.
        var isWhole = false
        /// Registrations that are removed, or are about to be, and are no addresses any more.
        var removed: Set<CommitSequence> = []

        func isReady(_ sequence: CommitSequence) -> Bool { isWhole && table.hasReached(sequence) }
    }

    static let malformed = Counter(
        "fanfare_push_sender_malformed_addresses_total",
        "Entries of push-addresses that could not be read and were passed by.")

    /// The longest that a question waits for a registration; the push is tried again later then.
    private static let waitMax = Duration.seconds(5)

    private let log: any EventLog
    private let layout: TopicLayout
    private let open: PushAddressTable.Open
    private let removal: Removal
    private let shelves = Mutex<[Int32: Shelf]>([:])
    private let bell = Bell<Int32>()

    /// - Parameter open: opens the bytes that the record service sealed for a user, device and kind.
    package init(
        log: any EventLog, layout: TopicLayout, open: @escaping PushAddressTable.Open, removal: @escaping Removal
    ) {
        self.log = log
        self.layout = layout
        self.open = open
        self.removal = removal
        _ = Self.malformed
    }

    package func follow(_ partition: Int32) async throws {
        shelves.withLock { $0[partition] = Shelf(table: PushAddressTable(open: open)) }
        defer { shelves.withLock { $0[partition] = nil } }
        let place = TopicPartition(layout.pushAddresses, partition)
        let bounds = try await log.bounds(of: [place])[place] ?? OffsetBounds(start: 0, end: 0)
        let follower = try await log.follow(place, from: bounds.start)
        defer { follower.close() }
        var next = bounds.start
        while true {
            if next >= bounds.end { shelves.withLock { $0[partition]?.isWhole = true } }
            bell.ring(partition)
            let batch = try await follower.next()
            shelves.withLock { shelves in
                for entry in batch.entries { Self.take(entry, in: place, &shelves[partition]!.table) }
            }
            next = batch.nextOffset
        }
    }

    private static func take(_ entry: LogEntry, in place: TopicPartition, _ table: inout PushAddressTable) {
        do {
            try table.take(entry)
        } catch {
            malformed.increment()
            Log.error(
                "sender.address.malformed", ["partition": "\(place)", "offset": entry.offset, "error": "\(error)"])
        }
    }

    package func address(
        of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind, user: UserRecordName,
        atLeast sequence: CommitSequence
    ) async throws -> RegisteredPushAddress? {
        let partition = partition(of: user)
        if !isReady(partition, sequence) {
            let isThere = try await Time.race(within: Self.waitMax) {
                try await self.bell.wait(for: partition) { self.isReady(partition, sequence) ? true : nil }
            }
            guard isThere != nil else { throw PushAddressLag(sequence: sequence) }
        }
        return try shelves.withLock { shelves in
            guard let shelf = shelves[partition] else { throw PushAddressLag(sequence: sequence) }
            guard let found = try shelf.table.address(of: device, epoch, kind), !shelf.removed.contains(found.sequence)
            else { return nil }
            return RegisteredPushAddress(
                found.address, contents: found.contents, registered: found.registered, sequence: found.sequence)
        }
    }

    package func remove(
        _ address: RegisteredPushAddress, of device: DeviceID, _ epoch: DeviceEpoch, user: UserRecordName,
        for reason: PushFailure
    ) async throws {
        try await removal(address, device, epoch, user, reason)
        // The topic shows it in a moment; no push is sent until then.
        shelves.withLock { shelves in _ = shelves[partition(of: user)]?.removed.insert(address.sequence) }
    }

    private func isReady(_ partition: Int32, _ sequence: CommitSequence) -> Bool {
        shelves.withLock { $0[partition]?.isReady(sequence) ?? false }
    }

    private func partition(of user: UserRecordName) -> Int32 { layout.pushes(of: user).partition }
}

/// The addresses of a partition are not as far as a push needs them.
struct PushAddressLag: Error, CustomStringConvertible {
    let sequence: CommitSequence

    var description: String { "push-addresses has not reached the registration \(sequence.rawValue)" }
}
