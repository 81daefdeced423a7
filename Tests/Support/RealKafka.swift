import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A real Kafka for the suites that need one: the cluster of `KAFKA_BOOTSTRAP_SERVERS`, or one broker started from
/// `KAFKA_HOME`'s own scripts for this run. Without either, those suites are disabled, and say so. One for nearly all
/// suites of the process: topics keep them apart.
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

    /// The address of a broker for suites that keep a broker busy for seconds; that of `bootstrapServers` when that is
    /// a cluster that runs already.
    package static func bootstrapServersForLoad() throws -> String { try startedForLoad.get() }

    /// A name that no other test uses, in this run or another.
    package static func unique(_ name: String) -> String { "\(name)-\(UUID().uuidString.lowercased().prefix(8))" }

    /// Ports that nobody has at this moment. They are below those that the system gives to clients by itself (from
    /// 32,768 on Linux): of those one could be a client's while the process that listens there is started again.
    package static func freePorts(_ count: Int) throws -> [UInt16] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            for _ in 0..<1_000 {
                // One that was returned before may not be bound yet.
                let port = UInt16.random(in: 10_000..<32_768)
                guard given.withLock({ $0.insert(port).inserted }), let descriptor = bound(to: port) else { continue }
                sockets.append(descriptor)
                return port
            }
            throw StorySystem.Failed("no free port on the loopback: errno \(errno)")
        }
    }

    /// The ports that were returned.
    private static let given = Mutex<Set<UInt16>>([])

    /// A socket that has a port; nil where another has it.
    private static func bound(to port: UInt16) -> Int32? {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static let started = start()
    private static let startedForLoad = start()

    private static func start() -> Result<String, any Error> {
        Result { try address() }
    }

    private static func address() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let servers = environment["KAFKA_BOOTSTRAP_SERVERS"] { return servers }
        return try KafkaCluster.start(nodes: 1).bootstrapServers
    }
}
