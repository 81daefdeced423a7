import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import HTTPClient
import HTTPServer
import Identity
import Matching
import Push
import RecordService
import RecordStore
import Settings
import Telemetry
import WebAPI

/// The record services of all containers behind one public port.
struct PublicServer {
    private let served: [ServedScope]
    /// The news that readers of feeds wait for, for each container's environment.
    private let news: [FeedWakeups]
    /// The followers of the journals of each container's environment.
    private let tails: [JournalTail]
    /// The public keys that subscriptions of browsers are made with.
    private let webPushKeys: [@Sendable () -> [UInt8]?]
    private let log: any EventLog
    private let keys: KeyRing
    private let configuration: Configuration
    private let console: ServedConsole
    private let assets: [any AssetStore]

    /// Opens the stores.
    init(_ configuration: Configuration, log: any EventLog, keys: KeyRing, developmentSignIn: Bool) throws {
        if developmentSignIn, !configuration.environments.contains(CloudEnvironment.development.rawValue) {
            Log.warning(
                "sign-in.development.ignored", ["environments": configuration.environments.joined(separator: ",")])
        }
        self.configuration = configuration
        console = try ServedConsole(configuration, keys: keys)
        self.log = log
        self.keys = keys
        for name in configuration.cloudKitPredicates where !configuration.containers.contains(name) {
            throw SettingsError(
                "the setting 'cloudkit-predicates' names '\(name)', which is none of 'containers': "
                    + configuration.containers.joined(separator: ", "))
        }
        let options = Self.options(configuration)
        var identity = IdentityService.Options()
        identity.allowsDevelopmentSignIn = developmentSignIn
        identity.webAuthTokenLifetime = .seconds(configuration.signIn.webAuthTokenHours * 3600)
        identity.sessionMax = .seconds(configuration.signIn.sessionDaysMax * 86_400)
        let provider = try Self.identityProvider(configuration)
        let place = try AssetPlace(configuration)
        let assets = try configuration.scopes.map { try Backends.assets(configuration, $0, in: place) }
        self.assets = assets
        served = try zip(configuration.scopes, assets).map { [identity] scope, assets in
            var options = options
            let isSubset = configuration.cloudKitPredicates.contains(scope.container.rawValue)
            options.predicates = isSubset ? .cloudKitSubset : .fanfare
            let records = RecordService(
                layout: Backends.layout(configuration, scope),
                store: try Backends.store(configuration, scope, role: .owner), log: log,
                assets: AssetStorage(assets, keys: keys), options: options, keys: keys)
            return ServedScope(records, options: identity, provider: provider)
        }
        let sendsWebPush = try configuration.push.subject != nil
        webPushKeys = try configuration.scopes.map { scope in
            let point = sendsWebPush ? try PushProviders.vapidKeys(configuration, scope).current.publicPoint : nil
            return { point }
        }
        let news = configuration.scopes.map { _ in FeedWakeups() }
        self.news = news
        tails = try zip(served, news).map { served, news in
            try Backends.journalTail(configuration, served.records.layout, on: log, news: news)
        }
    }

    private static func options(_ configuration: Configuration) -> RecordService.Options {
        var options = RecordService.Options(
            subscriptionsMax: configuration.subscriptionsMax,
            tombstoneRetention: .seconds(configuration.tombstoneRetentionDays * 86_400))
        if configuration.deviceSilenceDaysMax > 0 {
            options.deviceSilenceMax = .seconds(configuration.deviceSilenceDaysMax * 86_400)
        }
        options.quotas = configuration.quotas.quotas
        options.outboxMax = configuration.continuity.outboxMax
        if !configuration.bootstrapServers.isEmpty {
            // The embedded log has on the disk all that it has acknowledged.
            options.outboxKept = .seconds(configuration.continuity.outboxKeptSeconds)
            options.lossPause = .seconds(2)
        }
        options.deliveryLagMax = .seconds(configuration.continuity.deliveryLagSeconds)
        options.clock = configuration.continuity.clock
        options.comparisonPause = .seconds(10)
        options.refusalOfURL = configuration.push.refusal
        options.areUsersDiscoverable = configuration.signIn.areUsersDiscoverable
        return options
    }

    /// The issuer whose ID tokens sign in, where the settings name one.
    private static func identityProvider(_ configuration: Configuration) throws -> IdentityProvider? {
        guard configuration.signIn.oidcIssuer.isEmpty == configuration.signIn.oidcAudiences.isEmpty else {
            throw SettingsError(
                "--oidc-issuer and --oidc-audience go together: the issuer that signs users in, and our client ID")
        }
        guard !configuration.signIn.oidcIssuer.isEmpty else { return nil }
        let settings = configuration.signIn
        return IdentityProvider(
            issuer: settings.oidcIssuer, audiences: settings.oidcAudiences,
            web: IdentityProvider.WebClient(
                id: settings.oidcClientID.isEmpty ? settings.oidcAudiences[0] : settings.oidcClientID,
                secret: settings.oidcClientSecret.isEmpty ? nil : settings.oidcClientSecret,
                scopes: settings.oidcScopes),
            rolesClaim: configuration.console.operatorsClaim.isEmpty ? nil : configuration.console.operatorsClaim,
            http: HTTPClient())
    }

    /// The identities of an environment of the first container.
    /// - Throws: `SettingsError` when the environment is not served.
    func identity(of environment: CloudEnvironment) throws -> IdentityService {
        let container = served[0].identity.scope.container
        let found = served.map(\.identity).first {
            $0.scope.container == container && $0.scope.environment == environment
        }
        guard let found else {
            throw SettingsError("the setting 'environments' has no \(environment), which this start needs")
        }
        return found
    }

    /// Lets the API tokens of the settings in, each into its own environment: environments share no token.
    func admit(_ apiToken: String) async throws {
        guard apiToken.isEmpty || apiToken != configuration.productionAPIToken else {
            throw SettingsError("--api-token and --production-api-token are the same; environments share no token")
        }
        let tokens = [CloudEnvironment.development: apiToken, .production: configuration.productionAPIToken]
        for (environment, token) in tokens where !token.isEmpty {
            // A token of an environment that another process serves is in settings that both share.
            guard configuration.environments.contains(environment.rawValue) else { continue }
            try await identity(of: environment).addAPIToken(token, note: "from the settings")
        }
    }

    /// Waits until store and log of each container's environment belong together, and says what keeps them apart.
    func waitUntilTogether() async throws {
        await withTaskGroup(of: Void.self) { group in
            for served in served {
                group.addTask { await served.records.waitUntilTogether { Output.error($0) } }
            }
        }
        try Task.checkCancellation()
    }

    /// Tries out the bucket of assets, where they are in one.
    /// - Throws: `StoreError` with the reason for which it cannot be used.
    func checkAssets() async throws { try await AssetPlace.check(assets) }

    /// The reasons for which containers' environments are not served now.
    var refusals: [String] { served.compactMap(\.records.refusal) }

    /// A code that begins a session of an operator; nil where there is no console.
    var consoleCode: String? { console.makeCode() }

    /// Starts to answer.
    /// - Parameter process: what operators see of it.
    func start(_ process: ServedConsole.Process) async throws -> PublicPorts {
        let address = PublicAddress(configuration)
        let isPublic = console.place == .onPublicPort
        let scopes = apiScopes(address.url, operatorCodes: isPublic ? console.operatorCodes : nil)
        for scope in scopes { try await scope.credentials.refresh() }
        let explanations = ServedExplanations(
            places: places, keys: keys, configuration: configuration, committed: process.committed)
        let rates = configuration.frontDoor.rates(connectionsMax: configuration.server.connectionsMax)
        let text = try Self.securityText(configuration.server)
        let bodyBytesMax = configuration.server.bodyMebibytesMax << 20
        let api = CloudAPI(
            scopes, bodyBytesMax: bodyBytesMax, rates: rates, securityText: text,
            more: isPublic ? try console.mounts(scopes, log: log, process, explanations) : [],
            isReadOnly: isPublic && configuration.console.isReadOnly)
        let server = try await HTTPServer.start(
            listener(Address(configuration.server.listen)!, address.hosts), handler: api)
        var own: HTTPServer?
        if case .own(let place) = console.place {
            let reached = try ConsoleAddress(configuration, place)
            let scopes = scopes.map { $0.reached(at: reached.url, operatorCodes: console.operatorCodes) }
            own = try await HTTPServer.start(
                listener(place, reached.hosts),
                handler: CloudAPI(
                    scopes, bodyBytesMax: bodyBytesMax, securityText: text,
                    more: try console.mounts(scopes, log: log, process, explanations),
                    isReadOnly: configuration.console.isReadOnly,
                    sharingWith: api))
        }
        let ports = PublicPorts(api: server, console: own)
        try await console.begin(ports, served.map(\.identity))
        return ports
    }

    private func apiScopes(_ url: String?, operatorCodes: APIScope.OperatorCodes?) -> [APIScope] {
        served.indices.map { index in
            let (served, layout) = (served[index], served[index].records.layout)
            return APIScope(
                records: served.records, identity: served.identity,
                feeds: FeedService(
                    FeedSources(log, layout: layout, journals: tails[index]), keys: keys,
                    reading: FeedReading(log, news: news[index])),
                courierTokens: WebCourierTokens(keys, scope: layout.scope),
                webAuthTokens: served.identity.webAuthTokens(keys), queryMarkers: QueryMarkers(keys),
                signIns: SignInAttempts(keys),
                publicURL: url,
                isSecure: !configuration.server.tlsCertificate.isEmpty, webPushKey: webPushKeys[index],
                operatorCodes: operatorCodes)
        }
    }

    /// The logs, the views of journals, and the stores, for those who explain.
    private var places: [ContainerEnvironment: ServedExplanations.Place] {
        Dictionary(
            uniqueKeysWithValues: served.indices.map { index in
                let records = served[index].records
                return (
                    records.scope,
                    ServedExplanations.Place(
                        layout: records.layout, log: log, journals: tails[index], store: records.store)
                )
            })
    }

    /// A listener for clients, with the bounds of the settings.
    private func listener(_ address: Address, _ hosts: HostNames) -> HTTPServerConfiguration {
        var server = Service.server(address, hosts)
        server.connectionsMaximum = configuration.server.connectionsMax
        server.bodyBytesMaximum = max(server.bodyBytesMaximum, configuration.server.bodyMebibytesMax << 20)
        server.bodiesBytesMaximum = max(configuration.server.bodiesMebibytesMax << 20, server.bodyBytesMaximum * 2)
        server.answersDirectory = configuration.data
        configuration.frontDoor.apply(to: &server)
        if !configuration.server.tlsCertificate.isEmpty {
            server.tls = HTTPServerConfiguration.TLS(
                certificateFile: configuration.server.tlsCertificate, keyFile: configuration.server.tlsKey)
        }
        return server
    }

    /// The contacts for reports of weaknesses, if the settings have some.
    private static func securityText(_ settings: ServerConfiguration) throws -> SecurityText? {
        guard settings.securityContacts.isEmpty == settings.securityExpires.isEmpty else {
            throw SettingsError(
                "--security-contact and --security-expires go together: RFC 9116 has no contact without an end")
        }
        guard let expires = Timestamp(iso8601: settings.securityExpires) else { return nil }
        if expires < Timestamp.wallClock() {
            Log.warning("security-text.expired", ["expires": settings.securityExpires])
        }
        return SecurityText(contacts: settings.securityContacts, expires: expires, publicURL: settings.publicURL)
    }

    /// Does the work beside requests until the task is cancelled.
    /// - Parameter ports: the result of `start`.
    func run(_ ports: PublicPorts) async {
        await withTaskGroup(of: Void.self) { group in
            for tail in tails { group.addTask { await tail.run() } }
            for (served, news) in zip(served, news) {
                group.addTask { await served.records.run() }
                group.addTask { await served.identity.run() }
                group.addTask { await news.run() }
            }
            group.addTask { await Backends.follow(keys) }
            group.addTask { await console.run() }
            if !configuration.server.tlsCertificate.isEmpty {
                for server in ports.all { group.addTask { await followCertificate(server) } }
            }
        }
    }

    /// Takes on what certificate and key are replaced by, within a second.
    private func followCertificate(_ http: HTTPServer) async {
        while true {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            do {
                if try await http.renewCertificate() {
                    Log.info("certificate.changed", ["file": configuration.server.tlsCertificate])
                }
            } catch {
                Log.error("certificate.refused", ["error": "\(error)"])
            }
        }
    }

    /// Closes the stores.
    func close() async {
        await console.close()
        for served in served { await served.records.store.close() }
        for tail in tails { await tail.close() }
    }
}
