package import EventLog
import KafkaClient
import Synchronization
import Telemetry

/// The log port on Kafka.
package final class KafkaLog: EventLog {
    /// The bytes that Kafka adds to a message of its own when it measures it against `max.message.bytes`, with room to
    /// spare: the head of a batch is 61 bytes, that of a record some 20, and each header takes a few more.
    static let overheadBytes = 4096

    let client: KafkaConfiguration
    let admin: KafkaAdmin
    let configuration: KafkaLogConfiguration
    let followers: FollowerPool
    let limits = TopicLimits()
    private let incarnationCache = Mutex<[TopicName: UInt64]>([:])
    private let open = Mutex<[ObjectIdentifier: @Sendable () async -> Void]>([:])

    /// A log on a cluster; whether it can be reached shows at the first call.
    package init(_ configuration: KafkaLogConfiguration) throws {
        self.configuration = configuration
        client = KafkaConfiguration(
            bootstrapServers: configuration.bootstrapServers, clientID: "fanfare",
            properties: Self.properties.merging(configuration.properties) { $1 },
            log: { line in
                if line.level <= 3 { Log.warning("librdkafka", ["facility": line.facility, "line": line.message]) }
            })
        do {
            admin = try KafkaAdmin(client)
            followers = FollowerPool(client.adding(Self.consumerProperties))
        } catch {
            throw LogError(error)
        }
    }

    /// For all clients. Topics take messages of 4 MiB; the default of clients is 1 MB.
    private static let properties = ["message.max.bytes": String(8 << 20)]

    /// For all consumers: the end is told, one message of the largest kind fits a fetch, and what is fetched ahead for
    /// all partitions together is bounded.
    static let consumerProperties = [
        "enable.partition.eof": "true",
        "topic.metadata.propagation.max.ms": "10000",
        "isolation.level": "read_committed",
        "fetch.message.max.bytes": String(8 << 20),
        "queued.max.messages.kbytes": "65536",
    ]

    package func makeWriter() async throws -> any LogWriter {
        do {
            // Small batches leave at once; a fan-out to many feeds is handed over as one call and needs no lingering.
            let producer = try KafkaProducer(client.adding(["linger.ms": "1"]))
            let writer = KafkaLogWriter(producer: producer, log: self)
            keep(writer) { await writer.close() }
            return writer
        } catch {
            throw LogError(error)
        }
    }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await followers.follow(partition, from: offset, log: self)
    }

    package func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership {
        do {
            let membership = try KafkaMembership(group, topics: topics, log: self)
            keep(membership) { await membership.leave() }
            return membership
        } catch {
            throw LogError(error)
        }
    }

    package func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        let session = try await KafkaStateSession.open(claim, on: self)
        keep(session) { await session.close() }
        return session
    }

    package func close() async {
        let closers = open.withLock { open in
            defer { open = [:] }
            return open
        }
        for close in closers.values { await close() }
        await followers.close()
        await admin.close()
    }

    /// Remembers what has to be closed with the log.
    private func keep(_ object: some AnyObject & Sendable, _ close: @escaping @Sendable () async -> Void) {
        open.withLock { $0[ObjectIdentifier(object)] = close }
    }

    /// Forgets what closes itself.
    func forget(_ object: some AnyObject) { _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) } }

    /// The incarnations that are known without asking.
    func cachedIncarnations(_ names: [TopicName]) -> [TopicName: UInt64] {
        incarnationCache.withLock { cache in
            Dictionary(names.compactMap { name in cache[name].map { (name, $0) } }) { first, _ in first }
        }
    }

    /// Takes over what the topic of incarnations says.
    func cacheIncarnations(_ incarnations: [TopicName: UInt64]) {
        incarnationCache.withLock { $0 = incarnations }
    }
}
