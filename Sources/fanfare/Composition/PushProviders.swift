import CloudModel
import Cryptography
import HTTPClient
import Push
import RecordService
import Settings
import Waiting

/// The providers of pushes that the settings name, with their connections.
struct PushProviders: Sendable {
    /// The time that a webhook may take, and its connection.
    private static let webhookTimeouts = (whole: Duration.seconds(10), connect: Duration.seconds(3))

    /// The providers of each scope; none where the settings name none.
    let providers: [ContainerEnvironment: [any PushProvider]]
    private let connections: [ProviderTransport]
    private let guarded: [GuardedTransport]

    /// Reads keys and makes connections; these are opened when a push needs them.
    init(_ configuration: Configuration) throws {
        var connection = MultiplexingConfiguration()
        connection.caFile = configuration.push.caFile.isEmpty ? nil : configuration.push.caFile
        connection.userAgent = "fanfare"
        let apns = try Self.apns(configuration, connection)
        let webPush = try Self.webPush(configuration, connection)
        let webhooks = Self.webhooks(configuration, connection)
        providers = apns.providers.merging(webPush.providers, uniquingKeysWith: +)
            .merging(webhooks.providers, uniquingKeysWith: +)
        connections = apns.transports
        guarded = webPush.transports + webhooks.transports
    }

    /// Providers with their connections.
    private typealias Part<Transport> = (
        providers: [ContainerEnvironment: [any PushProvider]], transports: [Transport]
    )

    private static func apns(
        _ configuration: Configuration, _ connection: MultiplexingConfiguration
    ) throws -> Part<ProviderTransport> {
        let origins: [APNSEnvironment: String] = [
            .production: configuration.push.apnsProductionURL, .development: configuration.push.apnsDevelopmentURL,
        ]
        // APNs takes pushes of one team on a connection: each key, or certificate, has its own.
        var byProof: [APNSCredentials.Proof: (tokens: APNSTokens?, transport: ProviderTransport)] = [:]
        var providers: [ContainerEnvironment: [any PushProvider]] = [:]
        for (scope, credentials) in try APNSCredentials.all(configuration) where configuration.scopes.contains(scope) {
            if byProof[credentials.proof] == nil {
                var own = connection.counted(of: .apns)
                if case .certificate(let file, let keyFile) = credentials.proof {
                    own.clientCertificate = .init(certificateFile: file, keyFile: keyFile)
                }
                byProof[credentials.proof] = (
                    try credentials.proof.tokens(), ProviderTransport(to: Array(origins.values), own)
                )
            }
            let (tokens, transport) = byProof[credentials.proof]!
            providers[scope] = [
                APNSProvider(
                    tokens: tokens, topic: credentials.topic, origins: origins, transport: transport,
                    now: Timestamp.wallClock)
            ]
        }
        return (providers, byProof.values.map(\.transport))
    }

    private static func webPush(
        _ configuration: Configuration, _ connection: MultiplexingConfiguration
    ) throws -> Part<GuardedTransport> {
        guard let subject = try configuration.push.subject else { return ([:], []) }
        let transport = GuardedTransport(
            configuration.push.webPushGuard, connection.counted(of: .webPush), timeout: .seconds(10))
        let threads = WorkerThreads(count: 2)
        var providers: [ContainerEnvironment: [any PushProvider]] = [:]
        for scope in configuration.scopes {
            let tokens = VAPIDTokens(
                keys: try vapidKeys(configuration, scope), subject: subject, now: Timestamp.wallClock)
            providers[scope] = [
                WebPushProvider(tokens: tokens, transport: transport, threads: threads, now: Timestamp.wallClock)
            ]
        }
        return (providers, [transport])
    }

    private static func webhooks(
        _ configuration: Configuration, _ connection: MultiplexingConfiguration
    ) -> Part<GuardedTransport> {
        guard !configuration.push.webhookHosts.isEmpty || configuration.push.allowsLoopback else { return ([:], []) }
        var connection = connection.counted(of: .webhook)
        connection.connectTimeout = webhookTimeouts.connect
        let transport = GuardedTransport(
            configuration.push.webhookGuard, connection, timeout: webhookTimeouts.whole)
        let providers = configuration.scopes.map { scope -> (ContainerEnvironment, [any PushProvider]) in
            (scope, [WebhookProvider(scope: scope, transport: transport, now: Timestamp.wallClock)])
        }
        return (Dictionary(uniqueKeysWithValues: providers), [transport])
    }

    /// The keys that push services of browsers know a container's environment by; made at the first call.
    static func vapidKeys(_ configuration: Configuration, _ scope: ContainerEnvironment) throws -> SigningKeys {
        try SigningKeys.kept(file: VAPIDTokens.file(beside: Backends.keyFile(configuration), scope))
    }

    /// Ends all requests and connections.
    func close() async {
        for transport in connections { await transport.close() }
        for transport in guarded { await transport.close() }
    }
}
