import EventLog
import KafkaClient
import Synchronization

/// The clients that read partitions for followers. A client reads a partition for one follower at a time; where several
/// follow the same partition, further clients are made.
final class FollowerPool: Sendable {
    /// Clients at most; beyond that, followers of the same partition wait for each other.
    private static let clientsMax = 8

    private struct Slot {
        var reader: KafkaPartitionReader
        var routes: Routes
    }

    private struct State {
        var slots: [Slot] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isClosed = false
    }

    private let configuration: KafkaConfiguration
    private let state = Mutex(State())

    init(_ configuration: KafkaConfiguration) { self.configuration = configuration }

    func follow(_ partition: TopicPartition, from offset: Int64, log: KafkaLog) async throws -> KafkaFollower {
        let follower = KafkaFollower(partition, from: offset, log: log)
        while true {
            if let slot = try reserve(follower) {
                let reader = slot.reader
                let key = partition.kafka
                follower.attach(
                    KafkaFollower.Source(
                        pause: { reader.remove([key]) },
                        resume: { reader.add([key: $0]) },
                        close: {
                            reader.remove([key])
                            // Until that is carried out, what was fetched for this follower still comes, and the next
                            // one of the partition must not get it.
                            Task {
                                await reader.settled()
                                self.free(slot, key)
                            }
                        }))
                reader.add([key: offset])
                return follower
            }
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting.append(continuation) }
            }
            try Task.checkCancellation()
        }
    }

    func close() async {
        let slots = state.withLock { state in
            state.isClosed = true
            for waiter in state.waiting { waiter.resume() }
            state.waiting = []
            defer { state.slots = [] }
            return state.slots
        }
        for slot in slots { for follower in slot.routes.all { follower.close() } }
        for slot in slots { await slot.reader.close() }
    }

    /// A client that does not read the follower's partition yet; nil when all do.
    private func reserve(_ follower: KafkaFollower) throws -> Slot? {
        try state.withLock { state -> Slot? in
            guard !state.isClosed else { throw LogError.closed }
            for slot in state.slots where slot.routes.insert(follower) { return slot }
            guard state.slots.count < Self.clientsMax else { return nil }
            let routes = Routes()
            _ = routes.insert(follower)
            let slot = Slot(reader: try Self.makeReader(configuration, routes), routes: routes)
            state.slots.append(slot)
            return slot
        }
    }

    private static func makeReader(
        _ configuration: KafkaConfiguration, _ routes: Routes
    ) throws(LogError) -> KafkaPartitionReader {
        do throws(KafkaError) {
            return try KafkaPartitionReader(configuration) { routes.take($0) }
        } catch {
            throw LogError(error)
        }
    }

    private func free(_ slot: Slot, _ partition: KafkaTopicPartition) {
        slot.routes.remove(partition)
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}

/// The follower of each partition that a client reads.
final class Routes: Sendable {
    private let followers = Mutex<[KafkaTopicPartition: KafkaFollower]>([:])

    var all: [KafkaFollower] { followers.withLock { Array($0.values) } }

    /// False when there is a follower of the same partition.
    func insert(_ follower: KafkaFollower) -> Bool {
        followers.withLock { followers in
            let key = follower.partition.kafka
            guard followers[key] == nil else { return false }
            followers[key] = follower
            return true
        }
    }

    func remove(_ partition: KafkaTopicPartition) { followers.withLock { $0[partition] = nil } }

    /// Removes one follower and no other of its partition.
    func remove(_ partition: KafkaTopicPartition, _ identity: ObjectIdentifier) {
        followers.withLock { followers in
            guard let follower = followers[partition], ObjectIdentifier(follower) == identity else { return }
            followers[partition] = nil
        }
    }

    /// Routes a partition to this follower from now on.
    func replace(_ follower: KafkaFollower) { followers.withLock { $0[follower.partition.kafka] = follower } }

    subscript(partition: KafkaTopicPartition) -> KafkaFollower? { followers.withLock { $0[partition] } }

    /// Hands on what a reader tells, on its thread.
    func take(_ event: KafkaReaderEvent) {
        switch event {
        case .messages(let batch):
            for (partition, entries) in batch.entriesByPartition() { self[partition]?.received(entries) }
        case .endOfPartition(let partition, let offset): self[partition]?.reachedEnd(offset)
        case .offsetOutOfRange(let partition, let offset): self[partition]?.failedOutOfRange(offset)
        case .unknownPartition(let partition): self[partition]?.failedWithUnknownTopic()
        case .error(let error): if error.isFatal { for follower in all { follower.failed(error.description) } }
        }
    }
}
