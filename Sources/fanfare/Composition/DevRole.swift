import CloudMessages
import CloudModel
import CrashMarks
import Cryptography
import EventLog
import Feeds
import HTTPServer
import Identity
import JSON
import NotificationDelivery
import RecordService
import SQLiteLog
import Stages
import SubscriptionMatcher
import Telemetry
import TextForms
import Waiting

/// `fanfare dev`: the roles in one process on SQLite files.
struct DevRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        try PublicAddress.require(configuration, isWhole: true)
        let log = try Backends.embeddedLog(configuration)
        let keys = try Backends.keys(configuration, mayMake: true)
        let server = try PublicServer(configuration, log: log, keys: keys, developmentSignIn: true)
        _ = try await TopicSetup(log: log, configuration: configuration).create()
        let marks = Backends.crashMarks(configuration)
        let ledgers = Backends.poison(configuration, log, marks)
        let senders = try PushSenders(configuration, log: log, keys: keys, poison: ledgers) {
            IdentityCheck(log: log, layout: $0).start
        }
        let apiToken = try savedToken() ?? Hexadecimal.encode(SecureRandom.bytes(count: 32))
        try await server.admit(apiToken)
        let keyID = try await serverKey(try server.identity(of: .development))
        try await Service.run(
            configuration, "dev", refusals: { server.refusals },
            closing: {
                await senders.close()
                await server.close()
                await log.close()
            }
        ) { isReady in
            try await server.waitUntilTogether()
            let ports = try await server.start()
            try await Task.closing({ await ports.stop(grace: .seconds(5)) }) {
                try announce(ports, apiToken, keyID)
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
                let check = IdentityCheck(log: log, layout: layout).start
                group.addTask { await ledger.run() }
                group.addTask {
                    await SubscriptionMatcher(log: log, layout: layout, poison: ledger, check: check).run()
                }
                group.addTask {
                    await NotificationDelivery(
                        log: SharedJournals.over(log, layout: layout), layout: layout, poison: ledger, check: check
                    ).run()
                }
            }
            group.addTask { await marks?.forgetLeft(after: ledgers) }
        }
    }

    /// Retention and compaction, which Kafka would do by itself.
    private func maintain(_ log: SQLiteLog) async {
        while true {
            do { try await Task.sleep(for: .seconds(300)) } catch { return }
            do {
                try await log.maintain(at: LogTimestamp(Timestamp.wallClock()))
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
    private func announce(_ ports: PublicPorts, _ apiToken: String, _ keyID: String) throws {
        let scheme = configuration.server.tlsCertificate.isEmpty ? "http" : "https"
        let host = Address(configuration.server.listen)!.host
        let url = "\(scheme)://\(host == "0.0.0.0" ? "127.0.0.1" : host):\(ports.api.port)"
        let container = configuration.containers[0]
        let json: JSONValue = [
            "url": .string(url), "container": .string(container), "environment": "development",
            "apiToken": .string(apiToken), "keyID": .string(keyID), "privateKeyPath": .string(privateKeyFile),
        ]
        try Files.replace(file, with: json.serialized(pretty: true) + Array("\n".utf8))
        Output.text(
            """
            fanfare is ready at \(url)
              container   \(container), development
              data        \(configuration.data), with \(file)
            Try it:
              curl '\(url)/auth/1/\(container)/development/signin?ckAPIToken=\(apiToken)' -d '{"user": "alice"}'
            """)
    }
}
