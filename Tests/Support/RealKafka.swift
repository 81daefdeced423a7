import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A real Kafka for the suites that need one: the cluster of `KAFKA_BOOTSTRAP_SERVERS`, or one broker started from
/// `KAFKA_HOME`'s own scripts for this run. Without either, those suites are disabled, and say so. One for nearly all suites
/// of the process: topics keep them apart.
package enum RealKafka {
    /// Whether the suites can run; where they cannot, it is printed once why.
    package static let isAvailable: Bool = {
        let environment = ProcessInfo.processInfo.environment
        if environment["KAFKA_BOOTSTRAP_SERVERS"] != nil || environment["KAFKA_HOME"] != nil { return true }
        print("Suites on a real Kafka are disabled: set KAFKA_HOME to an unpacked Kafka, or KAFKA_BOOTSTRAP_SERVERS.")
        return false
    }()

    /// Its address; the first call starts it, and throws why it could not.
    package static func bootstrapServers() throws -> String { try started.get() }

    /// The address of a broker for suites that keep a broker busy for seconds; that of `bootstrapServers` when that is a
    /// cluster that runs already.
    package static func bootstrapServersForLoad() throws -> String { try startedForLoad.get() }

    /// A name that no other test uses, in this run or another.
    package static func unique(_ name: String) -> String { "\(name)-\(UUID().uuidString.lowercased().prefix(8))" }

    /// Ports that nobody listens on at this moment.
    package static func freePorts(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            #if canImport(Glibc)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    guard bind(descriptor, pointer, size) == 0, getsockname(descriptor, pointer, &size) == 0 else {
                        return nil
                    }
                    return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        $0.pointee.sin_port.bigEndian
                    }
                }
            }
            guard let port else { throw StorySystem.Failed("no free port on the loopback: errno \(errno)") }
            return port
        }
    }

    private static let started = start()
    private static let startedForLoad = start()

    private static func start() -> Result<String, any Error> {
        Result { try address() }
    }

    private static func address() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let servers = environment["KAFKA_BOOTSTRAP_SERVERS"] { return servers }
        return try Broker.start(home: environment["KAFKA_HOME"] ?? "")
    }
}

/// One broker that is its own controller, in a temporary directory, for as long as this process lives.
private enum Broker {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Held open: the shell that started the broker ends it by its process ID when this pipe closes, which also
    /// happens when this process is killed.
    private static let leashes = Mutex<[FileHandle]>([])

    static func start(home: String) throws -> String {
        let ports = try RealKafka.freePorts(2)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(RealKafka.unique("kafka"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let properties = folder.appendingPathComponent("server.properties")
        try settings(ports: ports, folder: folder.path).write(to: properties, atomically: true, encoding: .utf8)

        let script = """
            set -e
            export KAFKA_HEAP_OPTS=-Xmx512m LOG_DIR="$2/logs" KAFKA_JVM_PERFORMANCE_OPTS="-Djava.io.tmpdir=$2"
            "$1/bin/kafka-storage.sh" format -t "$("$1/bin/kafka-storage.sh" random-uuid)" -c "$2/server.properties" > "$2/log" 2>&1
            "$1/bin/kafka-server-start.sh" "$2/server.properties" >> "$2/log" 2>&1 < /dev/null &
            broker=$!
            read -r _ || true
            kill -TERM "$broker" 2> /dev/null || true
            wait "$broker" || true
            rm -rf "$2"
            """
        let pipe = Pipe()
        let process = ChildProcess(
            "/bin/sh", ["-c", script, "sh", home, folder.path], input: pipe.fileHandleForReading)
        try process.run()
        // Only the shell holds this end.
        try pipe.fileHandleForReading.close()
        leashes.withLock { $0.append(pipe.fileHandleForWriting) }

        let log = folder.appendingPathComponent("log")
        let deadline = Date(timeIntervalSinceNow: 120)
        while !isReady(log) {
            guard process.isRunning, Date() < deadline else {
                let text = (try? String(contentsOf: log, encoding: .utf8)) ?? "no log at \(log.path)"
                throw Failure(description: "Kafka of \(home) did not start:\n\(text.suffix(2_000))")
            }
            usleep(50_000)
        }
        return "127.0.0.1:\(ports[0])"
    }

    private static func isReady(_ log: URL) -> Bool {
        (try? String(contentsOf: log, encoding: .utf8))?.contains("Kafka Server started") == true
    }

    private static func settings(ports: [UInt16], folder: String) -> String {
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:\(ports[1])
        listeners=PLAINTEXT://127.0.0.1:\(ports[0]),CONTROLLER://127.0.0.1:\(ports[1])
        advertised.listeners=PLAINTEXT://127.0.0.1:\(ports[0])
        controller.listener.names=CONTROLLER
        inter.broker.listener.name=PLAINTEXT
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
        log.dirs=\(folder)/data
        auto.create.topics.enable=false
        default.replication.factor=1
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=4
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        transaction.state.log.num.partitions=4
        group.initial.rebalance.delay.ms=0
        group.min.session.timeout.ms=1000
        log.cleaner.dedupe.buffer.size=2097152
        log.cleaner.threads=1
        log.index.size.max.bytes=65536
        """
    }
}
