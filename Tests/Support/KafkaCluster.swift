import Foundation
package import KafkaClient
import Synchronization

/// Brokers that are controllers, too, started from `KAFKA_HOME`'s own scripts in a temporary folder, for as long as
/// this process lives. They can be stopped, ended and started again.
package final class KafkaCluster: Sendable {
    /// Whether a cluster can be started: there is a Kafka.
    package static let isAvailable = RealKafka.isAvailable && ProcessInfo.processInfo.environment["KAFKA_HOME"] != nil

    /// Whether stories may break a cluster: there is a Kafka, and `FANFARE_BROKEN_CLUSTER` is set.
    package static let mayBeBroken =
        isAvailable && ProcessInfo.processInfo.environment["FANFARE_BROKEN_CLUSTER"] != nil

    /// The addresses of all brokers.
    package let bootstrapServers: String
    /// The brokers' numbers.
    package let nodes: ClosedRange<Int32>

    private static let ready = "Kafka Server started"
    private static let clusters = Mutex<[KafkaCluster]>([])
    private let folder: URL
    private let admin: KafkaAdmin
    /// The brokers that were stopped where they are, and those that were ended.
    private let broken = Mutex<(paused: Set<Int32>, dead: Set<Int32>)>(([], []))
    private let shell: ChildProcess
    /// Held open: the shell that started the brokers ends them by their process IDs when this pipe closes, which also
    /// happens when this process is killed.
    private let commands: FileHandle

    /// Follows commands: starts a broker, or sends it a signal.
    private static let script = """
        while read -r word node; do
            if [ "$word" = start ]; then
                "$1/bin/kafka-server-start.sh" "$2/$node/server.properties" >> "$2/$node/log" 2>&1 < /dev/null &
                echo $! > "$2/$node/pid"
            else
                kill -s "$word" "$(cat "$2/$node/pid")"
                [ "$word" != KILL ] || wait "$(cat "$2/$node/pid")" 2> /dev/null || true
            fi
        done
        for file in "$2"/*/pid; do kill -s KILL "$(cat "$file")" 2> /dev/null || true; done
        wait
        rm -rf "$2"
        """

    /// Starts a cluster, and blocks until all of it is there.
    package static func start(nodes count: Int32) throws -> KafkaCluster {
        let cluster = try KafkaCluster(nodes: 1...count, home: ProcessInfo.processInfo.environment["KAFKA_HOME"] ?? "")
        for node in cluster.nodes { try cluster.send("start", node) }
        let deadline = Date(timeIntervalSinceNow: 120)
        for node in cluster.nodes {
            while cluster.starts(of: node) == 0 {
                guard cluster.shell.isRunning, Date() < deadline else {
                    throw StorySystem.Failed("Kafka did not start:\n\(cluster.log(of: node).suffix(2_000))")
                }
                usleep(50_000)
            }
        }
        clusters.withLock { $0.append(cluster) }
        return cluster
    }

    private init(nodes: ClosedRange<Int32>, home: String) throws {
        self.nodes = nodes
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(RealKafka.unique("kafka"))
        let ports = try RealKafka.freePorts(2 * nodes.count)
        let voters = nodes.map { "\($0)@127.0.0.1:\(ports[2 * Int($0) - 1])" }.joined(separator: ",")
        bootstrapServers = nodes.map { "127.0.0.1:\(ports[2 * Int($0) - 2])" }.joined(separator: ",")
        for node in nodes {
            let own = folder.appendingPathComponent("\(node)")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let text = Self.settings(
                node, of: nodes.count, ports: Array(ports[(2 * Int(node) - 2)...].prefix(2)), voters: voters,
                folder: own.path)
            try text.write(to: own.appendingPathComponent("server.properties"), atomically: true, encoding: .utf8)
        }
        // Several start together, and have little to do.
        let (heap, machine) = nodes.count == 1 ? (512, "") : (384, "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        let formatting = """
            set -e
            export KAFKA_HEAP_OPTS=-Xmx\(heap)m LOG_DIR="$2/logs"
            export KAFKA_JVM_PERFORMANCE_OPTS="-Djava.io.tmpdir=$2 \(machine)"
            identifier=$("$1/bin/kafka-storage.sh" random-uuid)
            for node in \(nodes.map { "\($0)" }.joined(separator: " ")); do
                "$1/bin/kafka-storage.sh" format -t "$identifier" -c "$2/$node/server.properties" > "$2/$node/log" 2>&1
            done
            set +e

            """
        let pipe = Pipe()
        shell = ChildProcess(
            "/bin/sh", ["-c", formatting + Self.script, "sh", home, folder.path], input: pipe.fileHandleForReading)
        try shell.run()
        // Only the shell holds this end.
        try pipe.fileHandleForReading.close()
        commands = pipe.fileHandleForWriting
        admin = try KafkaAdmin(
            KafkaConfiguration(bootstrapServers: bootstrapServers, properties: ["socket.timeout.ms": "3000"]),
            timeout: .seconds(5))
    }

    // MARK: Faults

    /// Stops a broker where it is (SIGSTOP).
    package func pause(_ node: Int32) throws {
        broken.withLock { _ = $0.paused.insert(node) }
        try send("STOP", node)
    }

    /// Lets brokers that were stopped go on, and waits until all replicas are in sync again.
    package func resume(_ nodes: Int32...) async throws { try await resume(nodes) }

    /// Lets brokers that were stopped go on, and waits until all replicas are in sync again.
    package func resume(_ nodes: some Sequence<Int32>) async throws {
        for node in nodes {
            broken.withLock { _ = $0.paused.remove(node) }
            try send("CONT", node)
        }
        try await heal()
    }

    /// Ends a broker at once.
    package func kill(_ node: Int32) throws {
        broken.withLock { _ = $0.dead.insert(node) }
        try send("KILL", node)
    }

    /// Starts a broker that was ended, and waits until all replicas are in sync again.
    package func restart(_ node: Int32) async throws {
        broken.withLock { _ = $0.dead.remove(node) }
        let before = starts(of: node)
        try send("start", node)
        try await eventually("the start of broker \(node)") { self.starts(of: node) > before }
        try await heal()
    }

    /// Resumes all brokers, and starts those that were ended, after a failed test.
    package func makeWhole() async throws {
        let broken = broken.withLock { $0 }
        if !broken.paused.isEmpty { try await resume(broken.paused.sorted()) }
        for node in broken.dead.sorted() { try await restart(node) }
    }

    private func heal() async throws {
        try await eventually("all replicas in sync") { [admin] in
            guard let topics = try? await admin.describeTopics() else { return false }
            return topics.values.allSatisfy { topic in
                ((try? topic.get())?.partitions ?? []).allSatisfy { $0.inSyncReplicas.count == $0.replicas.count }
            }
        }
    }

    private func send(_ word: String, _ node: Int32) throws {
        try commands.write(contentsOf: Data("\(word) \(node)\n".utf8))
    }

    // MARK: Questions

    /// Describes a topic, asked again until a broker answers.
    package func describe(
        _ topic: String, configuration isWithConfiguration: Bool = false
    ) async throws -> KafkaTopicDescription {
        try await answer("the description of \(topic)") { [admin] in
            try? await admin.describeTopics([topic], configuration: isWithConfiguration)[topic]?.get()
        }
    }

    /// Changes a setting of a topic.
    package func set(_ setting: String, to value: String, of topic: String) async throws {
        try await eventually("\(setting) of \(topic)") { [admin] in
            (try? await admin.alterConfigurations([topic: [setting: value]])[topic]?.get()) != nil
        }
    }

    /// Runs one of Kafka's commands against this cluster; returns its exit code.
    package func tool(_ name: String, _ arguments: [String]) throws -> Int32 {
        var environment = ProcessInfo.processInfo.environment
        environment["KAFKA_HEAP_OPTS"] = "-Xmx160m"
        environment["KAFKA_JVM_PERFORMANCE_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        environment["LOG_DIR"] = folder.appendingPathComponent("logs").path
        let home = environment["KAFKA_HOME"] ?? ""
        let tool = ChildProcess(
            "\(home)/bin/\(name)", ["--bootstrap-server", bootstrapServers] + arguments, environment: environment)
        return try tool.runToEnd()
    }

    private func log(of node: Int32) -> String {
        (try? String(contentsOf: folder.appendingPathComponent("\(node)/log"), encoding: .utf8)) ?? ""
    }

    private func starts(of node: Int32) -> Int { log(of: node).components(separatedBy: Self.ready).count - 1 }

    /// A broker that is silent is done without after seconds.
    private static let swiftChanges = """
        broker.session.timeout.ms=4000
        broker.heartbeat.interval.ms=500
        replica.lag.time.max.ms=5000
        controller.quorum.election.timeout.ms=500
        controller.quorum.fetch.timeout.ms=1500
        """

    private static func settings(
        _ node: Int32, of count: Int, ports: [UInt16], voters: String, folder: String
    ) -> String {
        let replicas = min(3, count)
        let majority = replicas / 2 + 1
        return """
            process.roles=broker,controller
            node.id=\(node)
            controller.quorum.voters=\(voters)
            listeners=PLAINTEXT://127.0.0.1:\(ports[0]),CONTROLLER://127.0.0.1:\(ports[1])
            advertised.listeners=PLAINTEXT://127.0.0.1:\(ports[0])
            controller.listener.names=CONTROLLER
            inter.broker.listener.name=PLAINTEXT
            listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
            log.dirs=\(folder)/data
            auto.create.topics.enable=false
            default.replication.factor=\(replicas)
            min.insync.replicas=\(majority)
            offsets.topic.replication.factor=\(replicas)
            offsets.topic.num.partitions=4
            transaction.state.log.replication.factor=\(replicas)
            transaction.state.log.min.isr=\(majority)
            transaction.state.log.num.partitions=4
            group.initial.rebalance.delay.ms=0
            group.min.session.timeout.ms=1000
            \(count > 1 ? swiftChanges : "")
            log.cleaner.dedupe.buffer.size=2097152
            log.cleaner.threads=1
            log.index.size.max.bytes=65536
            """
    }
}
