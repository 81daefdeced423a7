import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import FileSystem
import Poison
import Push
import RecordService
import Stages
import Telemetry

/// The push senders of all containers.
struct PushSenders: Sendable {
    private let senders: [PushSender]
    private let providers: PushProviders
    private let logs: [PushLog]

    /// True where the settings name no provider.
    var isEmpty: Bool { senders.isEmpty }

    init(
        _ configuration: Configuration, log: any EventLog, keys: KeyRing, poison ledgers: [PoisonLedger],
        check: (TopicLayout) -> StartCheck
    ) throws {
        let providers = try PushProviders(configuration)
        self.providers = providers
        var settings = PushSenderSettings()
        settings.scopeCount = configuration.scopes.count
        settings.visibleExpiry = .seconds(configuration.push.expiryDays * 86_400)
        let logs = Self.logs(configuration, of: Set(providers.providers.keys))
        self.logs = Array(logs.values)
        senders = ledgers.compactMap { [settings] ledger in
            let layout = ledger.layout
            let scope = layout.scope
            guard let own = providers.providers[scope] else { return nil }
            Log.info("push-sender", ["scope": "\(scope)", "kinds": own.map { "\($0.kind)" }.joined(separator: ",")])
            return PushSender(
                log: log, layout: layout, providers: own,
                payloads: PushPayloads(
                    container: scope.container, identifier: NotificationIdentifiers(keys).encode),
                addresses: Self.addresses(log, layout, keys), missed: MissedInFeeds(log: log, layout: layout),
                settings: settings, poison: ledger, journal: logs[scope], check: check(layout))
        }
    }

    private static func addresses(_ log: any EventLog, _ layout: TopicLayout, _ keys: KeyRing) -> PushAddressBook {
        let seals = PushAddressSeals(keys, scope: layout.scope)
        return PushAddressBook(
            log: log, layout: layout, open: { try seals.open($0, of: $1, $2, $3).address })
    }

    /// Opens the push-logs of scopes. A sender whose folder cannot be written works without, and says so.
    private static func logs(
        _ configuration: Configuration, of scopes: Set<ContainerEnvironment>
    ) -> [ContainerEnvironment: PushLog] {
        var logs: [ContainerEnvironment: PushLog] = [:]
        for scope in configuration.scopes where scopes.contains(scope) && configuration.push.logRows > 0 {
            do {
                try Files.makeFolder(configuration.data)
                logs[scope] = try PushLog(
                    path: Backends.pushLog(configuration, scope), rowsMax: configuration.push.logRows,
                    now: Timestamp.wallClock)
            } catch {
                Log.warning("push-log.absent", ["scope": "\(scope)", "error": "\(error)"])
            }
        }
        return logs
    }

    /// Sends until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for sender in senders { group.addTask { await sender.run() } }
            for log in logs { group.addTask { await log.run() } }
        }
    }

    /// Ends all requests and connections.
    func close() async {
        await providers.close()
        for log in logs { await log.close() }
    }
}
