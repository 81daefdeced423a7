package import CloudModel
import FanfareCloudKit
import Foundation
package import HTTPClient
import JSON
package import Operations
import Synchronization

/// A whole system as a user starts it, for stories: `fanfare dev`, or the roles as processes on a real Kafka.
package final class StorySystem: Sendable {
    /// The log and store of the system.
    package enum Kind: String, Sendable, CaseIterable {
        case embedded, kafka

        /// The kinds that can be run here; where Kafka cannot, it was printed once why.
        package static let available: [Kind] = allCases.filter { $0.isEmbedded || RealKafka.isAvailable }

        /// True on the embedded log.
        package var isEmbedded: Bool { self == .embedded }
    }

    package let kind: Kind
    package let url: String
    package let apiToken: String
    package let scope: ContainerEnvironment
    /// The processes by role.
    package let processes: [String: FanfareProcess]
    package let folder: TemporaryFolder
    package let http: HTTPClient
    /// Carries the requests of the story's users.
    package let transport: HTTPClientTransport
    /// What commands need to reach the log, as variables of the environment.
    package let logEnvironment: [String: String]
    /// The internal ports of the subscription-matcher and the record-service; nil on the embedded log.
    package let matcherPort: Int?
    package let servicePort: Int?
    /// Whose ID tokens sign users in: by name nobody enters production.
    let issuer: TestIssuer

    private init(
        kind: Kind, url: String, apiToken: String, scope: ContainerEnvironment, processes: [String: FanfareProcess],
        folder: TemporaryFolder, logEnvironment: [String: String], matcherPort: Int? = nil, servicePort: Int? = nil,
        issuer: TestIssuer
    ) {
        self.issuer = issuer
        http = HTTPClient()
        transport = HTTPClientTransport(http)
        self.kind = kind
        self.url = url
        self.apiToken = apiToken
        self.scope = scope
        self.processes = processes
        self.folder = folder
        self.logEnvironment = logEnvironment
        self.matcherPort = matcherPort
        self.servicePort = servicePort
    }

    /// The audience of the issuer's tokens.
    static let audience = "fanfare"

    private static let shared = Mutex<[Kind: Task<StorySystem, any Error>]>([:])

    /// The system that stories share, each with users of its own; started at the first call.
    package static func shared(_ kind: Kind) async throws -> StorySystem {
        let task = shared.withLock { shared in
            if let known = shared[kind] { return known }
            let task = Task { try await start(kind) }
            shared[kind] = task
            return task
        }
        return try await task.value
    }

    /// Starts a system of a test's own.
    /// - Parameter settings: variables of the environment of all its services; `FANFARE_FEED_TOPICS` for topics of
    ///   devices on Kafka.
    package static func start(_ kind: Kind, with settings: [String: String] = [:]) async throws -> StorySystem {
        kind.isEmbedded
            ? try await startEmbedded(with: settings)
            : try await start(on: RealKafka.bootstrapServers(), with: settings)
    }

    private static func startEmbedded(with settings: [String: String]) async throws -> StorySystem {
        let folder = TemporaryFolder()
        let issuer = try await TestIssuer.start()
        // A port of its own, so that it is found again after a restart.
        let port = try RealKafka.freePorts(1)[0]
        let process = FanfareProcess(
            [
                "dev", "--data", folder.path("data"), "--listen", "127.0.0.1:\(port)", "--internal-listen",
                "127.0.0.1:0", "--oidc-issuer", issuer.url, "--oidc-audience", audience,
            ],
            environment: settings, folder: folder, name: "dev")
        try process.start()
        leash(process)
        let file = folder.path("data/dev.json")
        try await eventually("fanfare dev") {
            guard process.isRunning else { throw Failed(process.complaints) }
            return FileManager.default.fileExists(atPath: file)
        }
        let json = try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file))))
        return StorySystem(
            kind: .embedded, url: json["url"]!.string!, apiToken: json["apiToken"]!.string!,
            scope: ContainerEnvironment(
                container: ContainerIdentifier(trusted: json["container"]!.string!), environment: .development),
            processes: ["dev": process], folder: folder, logEnvironment: [:], issuer: issuer)
    }

    /// Starts a system of a test's own on a cluster.
    package static func start(
        on bootstrapServers: String, with settings: [String: String] = [:]
    ) async throws -> StorySystem {
        let folder = TemporaryFolder()
        let issuer = try await TestIssuer.start()
        let container = RealKafka.unique("iCloud.story")
        let apiToken = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        let ports = try RealKafka.freePorts(4).map(Int.init)
        let environment = [
            "KAFKA_BOOTSTRAP_SERVERS": bootstrapServers, "FANFARE_CONTAINERS": container,
            "FANFARE_PARTITIONS": "4", "FANFARE_API_TOKEN": apiToken,
            "FANFARE_CRASH_MARKS": folder.path("crash-marks"),
            "FANFARE_TABLE_SNAPSHOTS": folder.path("table-snapshots"),
            // One broker serves all stories; a topic for each device is for those that read it.
            "FANFARE_FEED_TOPICS": "false",
        ].merging(settings) { $1 }
        let initialised = try await FanfareProcess(
            ["topics", "init"], environment: environment, folder: folder, name: "topics"
        ).run()
        guard initialised.code == 0 else { throw Failed("topics init ended with \(initialised.code)") }
        var processes = [
            "record-service": FanfareProcess(
                [
                    "record-service", "--data", folder.path("data"), "--listen", "127.0.0.1:\(ports[0])",
                    "--public-url", "http://127.0.0.1:\(ports[0])", "--internal-listen", "127.0.0.1:\(ports[1])",
                    "--development-sign-in", "--oidc-issuer", issuer.url,
                    "--oidc-audience", audience,
                ], environment: environment, folder: folder, name: "record-service"),
            "subscription-matcher": FanfareProcess(
                ["subscription-matcher", "--internal-listen", "127.0.0.1:\(ports[2])"], environment: environment,
                folder: folder, name: "subscription-matcher"),
        ]
        for process in processes.values {
            try process.start()
            leash(process)
        }
        if settings["FANFARE_PUSH_LOOPBACK"] != nil {
            processes["push-sender"] = try await startSender(
                ports[3], folder, environment, beside: processes["record-service"]!)
        }
        let system = StorySystem(
            kind: .kafka, url: "http://127.0.0.1:\(ports[0])", apiToken: apiToken,
            scope: ContainerEnvironment(container: ContainerIdentifier(trusted: container), environment: .development),
            processes: processes, folder: folder, logEnvironment: environment, matcherPort: ports[2],
            servicePort: ports[1],
            issuer: issuer)
        try await system.waitUntilReady([ports[1], ports[2]] + (processes["push-sender"] == nil ? [] : [ports[3]]))
        return system
    }

    private static func startSender(
        _ port: Int, _ folder: TemporaryFolder, _ environment: [String: String], beside service: FanfareProcess
    ) async throws -> FanfareProcess {
        let keys = folder.path("data/token.keys")
        try await eventually("the key ring") {
            guard service.isRunning else { throw Failed(service.complaints) }
            return FileManager.default.fileExists(atPath: keys)
        }
        let sender = FanfareProcess(
            [
                "push-sender", "--data", folder.path("sender"), "--token-key-file", keys, "--internal-listen",
                "127.0.0.1:\(port)",
            ], environment: environment, folder: folder, name: "push-sender")
        try sender.start()
        leash(sender)
        return sender
    }

    /// Waits until the processes with these internal ports can do their work.
    func waitUntilReady(_ internalPorts: [Int]) async throws {
        for port in internalPorts {
            try await eventually("readiness on port \(port)") { [http, processes] in
                for process in processes.values where !process.isRunning { throw Failed(process.complaints) }
                let answer = try? await http.send(HTTPClientRequest("GET", "http://127.0.0.1:\(port)/health/ready"))
                return answer?.status == 200
            }
        }
    }

    /// Ends the processes in order and checks that they end well.
    package func stop() async throws {
        for (name, process) in processes where process.isRunning {
            let code = try await within("the end of \(name)") { await process.terminate() }
            guard code == 0 else { throw Failed("\(name) ended with \(code): \(process.complaints.suffix(2000))") }
        }
    }

    /// A command of the program against this system.
    package func command(_ arguments: [String], name: String) -> FanfareProcess {
        FanfareProcess(arguments, environment: logEnvironment, folder: folder, name: name)
    }

    /// A user of the story, signed in.
    package func user(_ name: String) async throws -> StoryUser {
        try await user(named: "\(name)-\(UInt32.random(in: 0 ... .max))")
    }

    /// The user of this very name, signed in.
    package func user(named name: String) async throws -> StoryUser {
        let anonymous = CloudService(url: url, scope: scope, apiToken: apiToken, transport: transport)
        let (client, record) = try await anonymous.signedIn(as: name)
        return StoryUser(client: client, record: record)
    }

    /// A process dies with the tests, which end by `exit`.
    static func leash(_ process: FanfareProcess) {
        exits.withLock { $0.append(process) }
        _ = installExit
    }

    private static let exits = Mutex<[FanfareProcess]>([])
    private static let installExit: Void = { atexit { StorySystem.killAll() } }()

    private static func killAll() {
        for process in exits.withLock({ $0 }) { process.killNow() }
    }

    /// A system that did not start or end as it should.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
        /// The fault.
        package init(_ description: String) { self.description = description }
    }
}
