package import EventLog
import KafkaClient
import Synchronization
import Telemetry
import Waiting

/// The log port on Kafka.
package final class KafkaLog: EventLog {
    /// Instead of an offset: the first one that is kept, as the partition's leader knows it.
    static let firstKept: Int64 = -2

    /// The longest wait for clients that end; those that still talk to a broker that hangs end by themselves.
    private static let closingMax = Duration.seconds(4)

    let client: KafkaConfiguration
    /// Changes what the cluster has.
    let admin: KafkaAdmin
    /// Asks what the cluster has.
    let asking: AskingAdmins
    let configuration: KafkaLogConfiguration
    let followers: FollowerPool
    /// Reads for those who do not wait for more.
    let lookers: FollowerPool
    let limits = TopicLimits()
    let topicDefaults = TopicDefaults()
    let statePositions = StatePositions()
    private let open = Mutex<[ObjectIdentifier: @Sendable () async -> Void]>([:])

    /// A log on a cluster; whether it can be reached shows at the first call.
    package init(_ configuration: KafkaLogConfiguration) throws {
        self.configuration = configuration
        var client = KafkaConfiguration(
            bootstrapServers: configuration.bootstrapServers, clientID: "fanfare",
            properties: Self.properties.merging(configuration.properties) { $1 },
            log: { line in
                if line.level <= 3 { Log.warning("librdkafka", ["facility": line.facility, "line": line.message]) }
            })
        if configuration.statisticsInterval > .zero {
            let statistics = KafkaStatistics.shared
            client.statistics = { statistics.take($0) }
            client.properties["statistics.interval.ms"] = String(
                Int(configuration.statisticsInterval / .milliseconds(1)))
        }
        self.client = client
        do {
            admin = try KafkaAdmin(client.adding(Self.changingProperties), timeout: .seconds(30))
            asking = try AskingAdmins(client.adding(Self.askingProperties))
            followers = FollowerPool(client.adding(Self.consumerProperties))
            lookers = FollowerPool(
                client.adding(Self.consumerProperties).adding(Self.lookingProperties), isForLooks: true)
        } catch {
            throw LogError(error)
        }
    }

    /// For all clients. Topics take messages of 4 MiB; the default of clients is 1 MB. A broker that hangs is given up
    /// after seconds and not after a minute, so that its partitions are looked for at their new leaders soon; an answer
    /// that comes later than that is asked for again, and nothing is lost by it.
    private static let properties = [
        "message.max.bytes": String(8 << 20),
        "socket.timeout.ms": "10000", "socket.connection.setup.timeout.ms": "5000",
        "api.version.request.timeout.ms": "5000", "reconnect.backoff.max.ms": "1000",
    ]

    /// For the client that makes and deletes topics, thousands in one request.
    private static let changingProperties = ["socket.timeout.ms": "30000"].merging(toAllBrokers) { $1 }

    /// For clients that only ask: a broker that hangs is given up in time for another to be asked within one question
    /// for offsets (`AskingAdmins`). A question for metadata, which librdkafka repeats at the same broker, fails then,
    /// and the next one goes to another.
    private static let askingProperties = ["socket.timeout.ms": "3000"].merging(toAllBrokers) { $1 }

    /// For clients that talk to brokers rarely, which keep a connection to each. librdkafka would have one to the
    /// broker that it asked first, ask that one for all metadata, and, when it hung for `socket.timeout.ms`, connect to
    /// the same one again.
    private static let toAllBrokers = ["enable.sparse.connections": "false"]

    /// For all consumers: the end is reported, one message of the largest kind fits a fetch, and prefetched messages of
    /// all partitions together are bounded.
    static let consumerProperties = [
        "enable.partition.eof": "true",
        "topic.metadata.propagation.max.ms": "10000",
        "isolation.level": "read_committed",
        "fetch.message.max.bytes": String(8 << 20),
        "queued.max.messages.kbytes": "65536",
    ]

    /// For clients that read existing entries: a broker without more answers at once, and nothing is fetched for
    /// readers at the end, so that an added partition never waits for a fetch in flight.
    private static let lookingProperties = ["fetch.wait.max.ms": "0", "fetch.message.max.bytes": String(1 << 20)]

    package func makeWriter() async throws -> any LogWriter {
        do {
            let writer = KafkaLogWriter(producer: try makeProducer(), log: self)
            keep(writer) { await writer.close() }
            return writer
        } catch {
            throw LogError(error)
        }
    }

    /// Batches leave at once: a fan-out to many feeds is handed over as one call, and messages that come during
    /// requests wait for one of them, and so go together. librdkafka counts its waits in whole milliseconds, rounded
    /// up: any lingering costs one at each hop.
    func makeProducer() throws(KafkaError) -> KafkaProducer {
        try KafkaProducer(client.adding(["linger.ms": "0"]))
    }

    package func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await followers.follow(partition, from: offset, log: self)
    }

    package func look(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        try await lookers.follow(partition, from: offset, log: self)
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
        let answer = Answer<Void>()
        Task { [followers, lookers, asking, admin] in
            await withTaskGroup { group in
                for close in closers.values { group.addTask { await close() } }
                group.addTask { await followers.close() }
                group.addTask { await lookers.close() }
                group.addTask { await asking.close() }
                group.addTask { await admin.close() }
            }
            answer.give(())
        }
        await answer.value(within: Self.closingMax) {}
    }

    /// Registers an object to be closed with the log.
    private func keep(_ object: some AnyObject & Sendable, _ close: @escaping @Sendable () async -> Void) {
        open.withLock { $0[ObjectIdentifier(object)] = close }
    }

    /// Forgets what closes itself.
    func forget(_ object: some AnyObject) { _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) } }

    /// Runs calls of KafkaClient: their failures become the port's, and a cancellation itself.
    func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as KafkaError {
            try Task.checkCancellation()
            throw LogError(error)
        }
    }
}
