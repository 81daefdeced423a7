import EventLog
import KafkaClient
import Synchronization
import Waiting

/// The clients that read partitions for followers. A client reads a partition for one follower at a time; where several
/// follow the same partition, further clients are made. A follower that is full pauses its partition, and the reader
/// continues at `nextOffset`; a look pauses at the end, too. Looks have clients of their own: a partition that is added
/// waits for the current fetch, which a client for followers holds open.
///
/// A pool for looks deals topics to its clients by their names' hash, as librdkafka walks over all topics that a client
/// has met for each partition of an answer: so it meets each topic in one client, and few in each.
final class FollowerPool: Sendable {
    /// Clients at most; beyond that, followers of the same partition wait for each other.
    private static let clientsMax = 8

    /// Partitions that a client reads before another one is made: every fetch names them all.
    private static let partitionsFew = 500

    /// Clients for looks at most for a share of topics.
    private static let lookersMax = 4
    /// Topics after which a client for looks is replaced.
    private static let lookedTopicsMax = 4_000

    /// One client and what it reads.
    private final class Slot: Sendable {
        let reader: KafkaPartitionReader
        let routes: Routes
        /// The share of topics that the client is for; nil where it is for all.
        let share: Int?
        private let met: Mutex<(topics: TopicTally, isFull: Bool)>

        init(_ reader: KafkaPartitionReader, _ routes: Routes, share: Int?) {
            self.reader = reader
            self.routes = routes
            self.share = share
            met = Mutex((share == nil ? TopicTally() : TopicTally(topicsMax: lookedTopicsMax), false))
        }

        /// True once the client has met so many topics that it is to be used no further.
        var isFull: Bool { met.withLock(\.isFull) }

        func note(_ topic: TopicName) {
            met.withLock { met in if met.topics.add([topic]) { met.isFull = true } }
        }
    }

    private struct State {
        var slots: [Slot] = []
        /// Those who wait until a client is free for their partition, in order.
        var waiting: [KafkaTopicPartition: [Answer<Bool>]] = [:]
        var isClosed = false

        /// Takes the oldest waiting follower of a partition out.
        mutating func takeFirst(_ partition: KafkaTopicPartition) -> Answer<Bool>? {
            guard let first = waiting[partition]?.removeFirst() else { return nil }
            if waiting[partition]?.isEmpty == true { waiting[partition] = nil }
            return first
        }
    }

    private let configuration: KafkaConfiguration
    private let isForLooks: Bool
    private let state = Mutex(State())

    /// - Parameter isForLooks: true for readers that leave when they have read to the end.
    init(_ configuration: KafkaConfiguration, isForLooks: Bool = false) {
        self.configuration = configuration
        self.isForLooks = isForLooks
    }

    func follow(_ partition: TopicPartition, from offset: Int64, log: KafkaLog) async throws -> KafkaFollower {
        let follower = KafkaFollower(partition, from: offset, log: log, isLook: isForLooks)
        let key = partition.kafka
        while true {
            try Task.checkCancellation()
            let turn = Answer<Bool>()
            guard let slot = try reserve(follower, else: turn) else {
                if await turn.value(cancelled: { false }) { continue }
                leave(key, turn)
                throw CancellationError()
            }
            let reader = slot.reader
            follower.attach(
                KafkaFollower.Source(
                    pause: { reader.remove([key]) },
                    resume: { reader.add([key: $0]) },
                    close: {
                        reader.remove([key])
                        // Until then, batches for this follower still come, and the next one of the partition must not
                        // get them.
                        Task {
                            await reader.settled()
                            self.free(slot, key)
                        }
                    }))
            reader.add([key: offset])
            return follower
        }
    }

    func close() async {
        let slots = state.withLock { state in
            state.isClosed = true
            for waiter in state.waiting.values.joined() { waiter.give(true) }
            state.waiting = [:]
            defer { state.slots = [] }
            return state.slots
        }
        for slot in slots { for follower in slot.routes.all { follower.close() } }
        await withTaskGroup { group in
            for slot in slots { group.addTask { await slot.reader.close() } }
        }
    }

    /// A client that does not read the follower's partition yet: of those the one that reads least, or a new one while
    /// all read many. Nil when all read the partition; then the follower waits for its turn.
    private func reserve(_ follower: KafkaFollower, else turn: Answer<Bool>) throws -> Slot? {
        let key = follower.partition.kafka
        return try state.withLock { state -> Slot? in
            guard !state.isClosed else { throw LogError.closed }
            let share = isForLooks ? Self.share(of: key.topic) : nil
            let usable = state.slots.filter { !$0.isFull && $0.share == share }
            let least = usable.filter { $0.routes[key] == nil }.min { $0.routes.count < $1.routes.count }
            let mayMake = usable.count < (isForLooks ? Self.lookersMax : Self.clientsMax)
            if let least, !mayMake || least.routes.count < Self.partitionsFew, least.routes.insert(follower) {
                least.note(follower.partition.topic)
                return least
            }
            guard mayMake else {
                state.waiting[key, default: []].append(turn)
                return nil
            }
            let routes = Routes()
            _ = routes.insert(follower)
            let slot = Slot(try Self.makeReader(configuration, routes), routes, share: share)
            slot.note(follower.partition.topic)
            state.slots.append(slot)
            return slot
        }
    }

    /// The share of topics that a topic is in, the same in each run: FNV-1a.
    private static func share(of topic: String) -> Int {
        let hash = topic.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return Int(hash % UInt32(clientsMax))
    }

    /// Takes a cancelled follower out of the line; if it was just given its turn, the next one gets the turn.
    private func leave(_ partition: KafkaTopicPartition, _ turn: Answer<Bool>) {
        let next = state.withLock { state -> Answer<Bool>? in
            if let index = state.waiting[partition]?.firstIndex(where: { $0 === turn }) {
                state.waiting[partition]?.remove(at: index)
                if state.waiting[partition]?.isEmpty == true { state.waiting[partition] = nil }
                return nil
            }
            return state.takeFirst(partition)
        }
        next?.give(true)
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

    /// Lets the next one have the partition; ends a client that is to be used no further and reads nothing any more.
    private func free(_ slot: Slot, _ partition: KafkaTopicPartition) {
        slot.routes.remove(partition)
        let (next, isLast) = state.withLock { state in
            let isLast = slot.isFull && slot.routes.count == 0
            if isLast { state.slots.removeAll { $0 === slot } }
            return (state.takeFirst(partition), isLast)
        }
        next?.give(true)
        if isLast { Task { await slot.reader.close() } }
    }
}

/// The follower of each partition that a client reads.
final class Routes: Sendable {
    private let followers = Mutex<[KafkaTopicPartition: KafkaFollower]>([:])

    var count: Int { followers.withLock { $0.count } }
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

    /// Passes on a reader's event, on its thread.
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
