import CloudMessages
import CloudModel
import Continuity
import CrashMarks
import Cryptography
import EventLog
import FileSystem
import HTTPServer
import Identity
import JSON
import NotificationDelivery
import Poison
import RecordService
import SQLiteLog
import SubscriptionMatcher
import Telemetry
import TextForms
import Waiting

/// `fanfare dev`: the roles in one process on SQLite files.
struct DevRole: Sendable {
    private let configuration: Configuration
    /// The settings as operators see them.
    private let settings: [JSONValue]

    init(_ configuration: Configuration, settings: [JSONValue] = []) {
        self.configuration = configuration
        self.settings = settings
    }

    func run() async throws {
        try PublicAddress.require(configuration, isWhole: true)
        let log = try Backends.embeddedLog(configuration)
        let keys = try Backends.keys(configuration, mayMake: true)
        let server = try PublicServer(configuration, log: log, keys: keys, developmentSignIn: true)
        _ = try await TopicSetup(log: log, configuration: configuration).create()
        let marks = Backends.crashMarks(configuration)
        let ledgers = Backends.poison(configuration, log, marks)
        let senders = try PushSenders(configuration, log: log, keys: keys, poison: ledgers) {
            IdentityCheck(log: log, layout: $0).start()
        }
        let apiToken = try savedToken() ?? Hexadecimal.encode(SecureRandom.bytes(count: 32))
        try await server.admit(apiToken)
        let keyID = try await serverKey(try server.identity(of: .development))
        let readiness = Service.Readiness()
        try await Service.run(
            configuration, "dev", refusals: { server.refusals }, readiness: readiness,
            closing: {
                await senders.close()
                await server.close()
                await log.close()
            }
        ) { isReady in
            try await server.checkAssets()
            try await server.waitUntilTogether()
            let ports = try await server.start(
                ServedConsole.Process(
                    settings: settings, obstacles: { readiness.obstacles + server.refusals },
                    committed: { try await log.positions(of: $0, $1) }))
            try await Task.closing({ await ports.stop(grace: .seconds(5)) }) {
                try announce(ports, apiToken, keyID, code: server.consoleCode)
                isReady(true)
                await work(server, ports, log, marks, ledgers, senders)
            }
        }
    }

    private func work(
        _ server: PublicServer, _ ports: PublicPorts, _ log: SQLiteLog, _ marks: CrashMarks?, _ ledgers: [PoisonLedger],
        _ senders: PushSenders
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await server.run(ports) }
            group.addTask { await maintain(log) }
            group.addTask { await senders.run() }
            for ledger in ledgers {
                let layout = ledger.layout
                let check = IdentityCheck(log: log, layout: layout).start()
                group.addTask { await ledger.run() }
                group.addTask {
                    await SubscriptionMatcher(log: log, layout: layout, poison: ledger, check: check).run()
                }
                group.addTask {
                    await NotificationDelivery(log: log, layout: layout, poison: ledger, check: check).run()
                }
            }
            group.addTask { await marks?.forgetLeft(after: ledgers) }
        }
    }

    /// Retention and compaction, which Kafka would do by itself.
    private func maintain(_ log: SQLiteLog) async {
        // Stands while the machine sleeps.
        let clock = SuspendingClock()
        var last: SuspendingClock.Instant?
        while true {
            do { try await Task.sleep(for: .seconds(300)) } catch { return }
            do {
                let now = clock.now
                let time = try await log.retentionTime(
                    at: LogTimestamp(Timestamp.wallClock()), after: last.map { now - $0 })
                last = now
                try await log.maintain(at: time)
            } catch {
                Log.warning("log.maintenance.failed", ["error": "\(error)"])
            }
        }
    }

    private var file: String { "\(configuration.data)/dev.json" }

    private var privateKeyFile: String { "\(configuration.data)/server-key.pem" }

    /// The server-to-server key of an earlier start in the same folder, or a new one.
    private func serverKey(_ identity: IdentityService) async throws -> String {
        if Files.exists(file), Files.exists(privateKeyFile),
            let known = try JSONValue(parsing: Files.read(file))["keyID"]?.string,
            try await identity.hasServerKey(known)
        {
            return known
        }
        let (id, key) = try await identity.makeServerKey(note: "made by fanfare dev")
        try Files.replace(privateKeyFile, with: Array(key.pem.utf8))
        return id
    }

    /// The API token of an earlier start in the same folder.
    private func savedToken() throws -> String? {
        guard !configuration.apiToken.isEmpty else {
            return Files.exists(file) ? try JSONValue(parsing: Files.read(file))["apiToken"]?.string : nil
        }
        return configuration.apiToken
    }

    /// Says where the service is, in a file and on the screen.
    /// - Parameter code: begins an operator's session; nil where there is no console.
    private func announce(_ ports: PublicPorts, _ apiToken: String, _ keyID: String, code: String?) throws {
        let url = url(Address(configuration.server.listen)!, ports.api)
        let container = configuration.containers[0]
        var json: JSONObject = [
            "url": .string(url), "container": .string(container), "environment": "development",
            "apiToken": .string(apiToken), "keyID": .string(keyID), "privateKeyPath": .string(privateKeyFile),
        ]
        var opening = ""
        if let code {
            var console = url
            if case .own(let place) = configuration.console.place, let server = ports.console {
                console = configuration.console.url.isEmpty ? self.url(place, server) : configuration.console.url
            }
            json["consoleURL"] = .string(console)
            json["operatorTokenFile"] = .string(configuration.console.operatorTokenFile)
            opening = "\n  console     \(console)/console/#code=\(code)"
        }
        try Files.replace(file, with: JSONValue.object(json).serialized(pretty: true) + Array("\n".utf8))
        Output.text(
            """
            fanfare is ready at \(url)
              container   \(container), development
              data        \(configuration.data), with \(file)\(opening)
            Try it:
              curl '\(url)/auth/1/\(container)/development/signin?ckAPIToken=\(apiToken)' -d '{"user": "alice"}'
            """)
    }

    /// The address of a listener for clients on this machine.
    private func url(_ listen: Address, _ server: HTTPServer) -> String {
        let scheme = configuration.server.tlsCertificate.isEmpty ? "http" : "https"
        let host = listen.host.contains(":") ? "[\(listen.host)]" : listen.host
        return "\(scheme)://\(host == "0.0.0.0" ? "127.0.0.1" : host):\(server.port)"
    }
}
