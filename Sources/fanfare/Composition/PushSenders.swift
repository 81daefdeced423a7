import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import Push
import RecordService
import Stages
import Telemetry

/// The push senders of all containers.
struct PushSenders: Sendable {
    private let senders: [PushSender]
    private let providers: PushProviders

    /// True where the settings name no provider.
    var isEmpty: Bool { senders.isEmpty }

    init(
        _ configuration: Configuration, log: any EventLog, keys: KeyRing, poison ledgers: [PoisonLedger],
        check: (TopicLayout) -> StartCheck
    ) throws {
        let providers = try PushProviders(configuration)
        self.providers = providers
        var settings = PushSenderSettings()
        settings.visibleExpiry = .seconds(configuration.push.expiryDays * 86_400)
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
                settings: settings, poison: ledger, check: check(layout))
        }
    }

    private static func addresses(_ log: any EventLog, _ layout: TopicLayout, _ keys: KeyRing) -> PushAddressBook {
        let seals = PushAddressSeals(keys, scope: layout.scope)
        return PushAddressBook(
            log: log, layout: layout, open: { try seals.open($0, of: $1, $2, $3).address })
    }

    /// Sends until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for sender in senders { group.addTask { await sender.run() } }
        }
    }

    /// Ends all requests and connections.
    func close() async { await providers.close() }
}
