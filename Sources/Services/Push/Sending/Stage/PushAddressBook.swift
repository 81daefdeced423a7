package import CloudMessages
package import CloudModel
package import EventLog
import Synchronization
import Telemetry
import Timing
import Waiting

/// The addresses of devices, as `push-addresses` has them: a table for each partition that is followed.
package final class PushAddressBook: PushAddresses {
    /// The addresses of a partition, under a lock of their own: opening one takes time, and other partitions go on.
    private final class Shelf: Sendable {
        struct State {
            var table: PushAddressTable
            /// True once it has been read to the end that it had when the following began.
            var isWhole = false
            /// Registrations that are removed, or are about to be, and are no addresses any more.
            var removed: Set<CommitSequence> = []

            func isReady(_ sequence: CommitSequence) -> Bool { isWhole && table.hasReached(sequence) }
        }

        let state: Mutex<State>

        init(_ open: @escaping PushAddressTable.Open) { state = Mutex(State(table: PushAddressTable(open: open))) }
    }

    static let malformed = Counter(
        "fanfare_push_sender_malformed_addresses_total",
        "Entries of push-addresses that could not be read and were passed by.")

    /// The longest that a question waits for a registration; the push is tried again later then.
    private static let waitMax = Duration.seconds(5)

    private let log: any EventLog
    private let layout: TopicLayout
    private let open: PushAddressTable.Open
    private let reports: PushReports
    private let shelves = Mutex<[Int32: Shelf]>([:])
    private let bell = Bell<Int32>()

    /// - Parameter open: opens the bytes that the record service sealed for a user, device and kind.
    package init(
        log: any EventLog, layout: TopicLayout, open: @escaping PushAddressTable.Open
    ) {
        self.log = log
        self.layout = layout
        self.open = open
        reports = PushReports(log: log, layout: layout)
        _ = Self.malformed
    }

    package func follow(_ partition: Int32) async throws {
        let shelf = Shelf(open)
        shelves.withLock { $0[partition] = shelf }
        defer { shelves.withLock { $0[partition] = nil } }
        let place = TopicPartition(layout.pushAddresses, partition)
        let bounds = try await log.bounds(of: [place])[place] ?? OffsetBounds(start: 0, end: 0)
        let follower = try await log.follow(place, from: bounds.start)
        defer { follower.close() }
        var next = bounds.start
        while true {
            if next >= bounds.end { shelf.state.withLock { $0.isWhole = true } }
            bell.ring(partition)
            let batch = try await follower.next()
            shelf.state.withLock { state in
                for entry in batch.entries { Self.take(entry, in: place, &state.table) }
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
        guard let shelf = shelf(partition) else { throw PushAddressLag(sequence: sequence) }
        return try knownAddress(of: device, epoch, kind, on: shelf)
    }

    /// The address that the table of a partition has by now.
    /// - Returns: nil where it has none, and for a partition that is not followed.
    func knownAddress(
        of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind, user: UserRecordName
    ) throws -> RegisteredPushAddress? {
        try shelf(partition(of: user)).flatMap { try knownAddress(of: device, epoch, kind, on: $0) }
    }

    private func knownAddress(
        of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind, on shelf: Shelf
    ) throws -> RegisteredPushAddress? {
        try shelf.state.withLock { state in
            guard let found = try state.table.openAddress(of: device, epoch, kind),
                !state.removed.contains(found.sequence)
            else { return nil }
            return RegisteredPushAddress(
                found.address, contents: found.contents, registered: found.registered, sequence: found.sequence)
        }
    }

    package func remove(
        _ address: RegisteredPushAddress, of device: DeviceID, _ epoch: DeviceEpoch, user: UserRecordName,
        for reason: PushFailure
    ) async throws {
        try await reports.remove(address, of: device, for: reason)
        // The topic shows it in a moment; no push is sent until then.
        shelf(partition(of: user))?.state.withLock { _ = $0.removed.insert(address.sequence) }
    }

    package func note(
        _ outcome: PushOutcome, of address: RegisteredPushAddress, of device: DeviceID, at time: Timestamp
    ) {
        reports.note(outcome, of: address, of: device, at: time)
    }

    package func report() async { await reports.run() }

    private func isReady(_ partition: Int32, _ sequence: CommitSequence) -> Bool {
        shelf(partition)?.state.withLock { $0.isReady(sequence) } ?? false
    }

    private func shelf(_ partition: Int32) -> Shelf? { shelves.withLock { $0[partition] } }

    private func partition(of user: UserRecordName) -> Int32 { layout.pushes(of: user).partition }
}

/// The addresses of a partition are not as far as a push needs them.
struct PushAddressLag: Error, CustomStringConvertible {
    let sequence: CommitSequence

    var description: String { "push-addresses has not reached the registration \(sequence.rawValue)" }
}
