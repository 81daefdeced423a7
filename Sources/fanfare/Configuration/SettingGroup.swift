import CloudMessages
import CloudModel
import Identity
import RecordService
import Settings
import Telemetry

/// Settings that belong together; a command takes some groups.
enum SettingGroup: CaseIterable {
    case common, containers, store, log, server, quotas, pushAddresses, push, measuring, delivery, sending
    case target, client, following, importing, exporting,
        loading, creating, promoting, granting, listing, markdown, watching, marks, explaining, reading, auditing,
        confirming, repairing, migrating, access, backup, copyingAssets,
        promotingFrom, rotating, resealing, tryingPushes, trying,
        webhooks, openingConsole, removingCouriers, listingActions

    var settings: [Setting<Configuration>] {
        switch self {
        case .common: Self.commonSettings
        case .containers: Self.containerSettings
        case .store: Self.storeSettings
        case .log: Self.logSettings
        case .server: Self.serverSettings
        case .quotas: Self.quotaSettings
        case .pushAddresses: Self.addressSettings
        case .push: Self.pushSettings
        case .sending: Self.internalSettings + Self.tracingSettings
        case .measuring: Self.measuringSettings
        case .delivery: Self.deliverySettings
        case .target: Self.targetSettings
        case .client: Self.clientSettings
        case .following: Self.followingSettings
        case .importing: Self.importSettings
        case .exporting: Self.exportSettings
        case .loading: Self.loadSettings
        case .creating: Self.creationSettings
        case .promoting: Self.promotionSettings
        case .granting: Self.grantSettings
        case .listing: Self.listingSettings
        case .markdown: Self.markdownSettings
        case .watching: Self.watchingSettings
        case .marks: Self.markSettings
        case .confirming: Self.confirmationSettings
        case .repairing: Self.repairSettings
        case .migrating: Self.migrationSettings
        case .explaining: Self.explanationSettings
        case .reading: Self.readingSettings
        case .auditing: Self.auditSettings
        case .access: Self.accessSettings
        case .backup: Self.backupSettings
        case .copyingAssets: Self.assetCopySettings
        case .promotingFrom: Self.promotionSourceSettings
        case .rotating: Self.rotationSettings
        case .resealing: Self.resealingSettings
        case .tryingPushes: Self.pushTestSettings
        case .webhooks: Self.webhookSettings
        case .openingConsole: Self.consoleOpeningSettings
        case .trying: Self.trialSettings
        case .removingCouriers: Self.courierRemovalSettings
        case .listingActions: Self.actionSettings
        }
    }

    private static let commonSettings: [Setting<Configuration>] = [
        Setting("config", \.configFile, "a JSON file with settings, by name"),
        Setting("log-level", \.logLevel, "debug, info, warning or error") { level in
            LogLevel(name: level) == nil ? "is debug, info, warning or error, not '\(level)'" : nil
        },
    ]

    private static let containerSettings: [Setting<Configuration>] = [
        Setting("containers", \.containers, "the containers that are served, separated by commas") { names in
            if names.isEmpty { return "needs at least one container" }
            for name in names {
                do throws(CloudError) {
                    _ = try ContainerIdentifier(name)
                } catch {
                    return "has a bad name: \(error.reason)"
                }
            }
            return nil
        },
        Setting(
            "environments", \.environments,
            "the environments that are served: development, production, or both; production is best run apart"
        ) { names in
            let isKnown = !names.isEmpty && names.allSatisfy { CloudEnvironment(rawValue: $0) != nil }
            return isKnown ? nil : "is development, production, or both separated by a comma"
        },
        Setting("partitions", \.partitions, in: 1...256, "partitions of keyed topics; fixed for a container's life"),
        Setting(
            "feed-topics", \.feedTopics,
            "on Kafka, give each device a topic of its own, which any Kafka tool reads from the start and 'device-client --bootstrap-servers' follows; the same for all roles"
        ),
        Setting("retention-changes-days", \.changesRetentionDays, in: 1...3650, "how long changes are kept"),
        Setting(
            "retention-deliveries-days", \.deliveriesRetentionDays, in: 1...3650,
            "how long deliveries and commands are kept"),
        Setting(
            "retention-feeds-days", \.feedsRetentionDays, in: 1...3650,
            "how long notifications can be fetched and replayed"),
    ]

    private static let storeSettings: [Setting<Configuration>] =
        [Setting("data", \.data, "the folder of the store's files")] + assetSettings + [
            Setting(
                "token-key-file", \.tokenKeyFile,
                "the key ring of tokens, shared by all roles; made in the data folder when absent")
        ]

    private static let logSettings: [Setting<Configuration>] = [
        Setting(
            "bootstrap-servers", \.bootstrapServers, "Kafka's addresses, separated by commas",
            environment: ["KAFKA_BOOTSTRAP_SERVERS"]),
        Setting(
            "replication-factor", \.replicationFactor, in: 0...9,
            "brokers that hold each partition; 0 means 3, or fewer on a smaller cluster"),
        Setting(
            "kafka-statistics-seconds", \.kafkaStatisticsSeconds, in: 0...3600,
            "how often librdkafka reports statistics, for the metrics fanfare_kafka_…; it walks all topics for it; 0 is never"
        ),
    ]

    private static let serverSettings: [Setting<Configuration>] =
        [
            Setting("listen", \.server.listen, "host and port of the API; port 0 takes a free one", allowed: address)
        ] + internalSettings + tracingSettings + [
            Setting(
                "tls-certificate", \.server.tlsCertificate,
                "a PEM file; with tls-key the API speaks TLS; both are read again within a second when they change"),
            Setting("tls-key", \.server.tlsKey, "a PEM file with the certificate's key"),
            Setting(
                "body-mebibytes-max", \.server.bodyMebibytesMax, in: 1...1024, "the largest body of a request, in MiB"),
            Setting(
                "bodies-mebibytes-max", \.server.bodiesMebibytesMax, in: 2...65_536,
                "bodies of all requests in memory at once, in MiB, at least twice the ceiling of one body (64 MiB); further requests get TRY_AGAIN_LATER"
            ),
            Setting("connections-max", \.server.connectionsMax, in: 1...1_000_000, "connections to the API at once"),
            Setting(
                "development-sign-in", \.signIn.allowsDevelopment,
                "whether users sign in by name alone, in development environments; in production nobody ever does"),
            Setting(
                "api-token", \.apiToken,
                "an API token (64 hexadecimal digits) that is good from the start, in the first container's development environment",
                secret: true, allowed: apiToken),
            Setting(
                "production-api-token", \.productionAPIToken,
                "the same for the first container's production environment; another token", secret: true,
                allowed: apiToken),
            Setting(
                "oidc-issuer", \.signIn.oidcIssuer, "the OpenID Connect issuer whose ID tokens sign in, as they name it"
            ) {
                url in
                let isGood = url.isEmpty || url.hasPrefix("https://") || Address.isLoopback(url: url)
                return isGood
                    ? nil : "is an address that begins with https:// (http:// on this machine alone), not '\(url)'"
            },
            Setting(
                "oidc-audience", \.signIn.oidcAudiences,
                "the client ID that the issuer's ID tokens have to be for; several by commas, as of an app and its web page"
            ),
            Setting(
                "oidc-client-id", \.signIn.oidcClientID,
                "the client ID of the sign-in page, whose callback is registered with the issuer; when absent the first of 'oidc-audience'"
            ),
            Setting(
                "oidc-client-secret", \.signIn.oidcClientSecret,
                "the secret of that client, where the issuer gave one; the page uses PKCE in any case", secret: true),
            Setting(
                "oidc-scopes", \.signIn.oidcScopes,
                "what the sign-in page asks the issuer for; Sign in with Apple takes 'openid' alone here"),
            Setting(
                "users-discoverable", \.signIn.areUsersDiscoverable,
                "whether users find others who allow it, by address and record name"),
            Setting(
                "public-url", \.server.publicURL,
                "where clients reach the API: its sign-in page, addresses of assets and web couriers; needed with oidc-issuer, and where production is served to other machines or named by environments, but by fanfare dev on this machine alone; when absent as a request came where the API listens on this machine alone, else the address of 'listen'"
            ) { url in
                let isURL = (url.hasPrefix("https://") || url.hasPrefix("http://")) && !url.hasSuffix("/")
                return url.isEmpty || isURL ? nil : "begins with https:// and does not end with a slash, not '\(url)'"
            },
            Setting(
                "security-contact", \.server.securityContacts,
                "where weaknesses of this service are reported, by mailto:, https: or tel:, several by commas: /.well-known/security.txt (RFC 9116), which is absent without"
            ) { contacts in
                for contact in contacts {
                    let isURI = ["mailto:", "https://", "tel:"].contains { contact.hasPrefix($0) && contact != $0 }
                    guard isURI, contact.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                        return "begins with mailto:, https:// or tel: and has no spaces, not '\(contact)'"
                    }
                }
                return nil
            },
            Setting(
                "security-expires", \.server.securityExpires,
                "with security-contact, until when nobody need ask again, as 2027-06-30T00:00:00Z; within a year"
            ) { time in
                time.isEmpty || Timestamp(iso8601: time) != nil
                    ? nil : "is a time such as 2027-06-30T00:00:00Z, not '\(time)'"
            },
            Setting(
                "web-auth-token-hours", \.signIn.webAuthTokenHours, in: 1...87_600,
                "how long a web auth token is good; each answer has a fresh one"),
            Setting(
                "session-days-max", \.signIn.sessionDaysMax, in: 1...3650,
                "how long a sign-in lasts at most, however often its token is renewed"),
            Setting(
                "tombstone-retention-days", \.tombstoneRetentionDays, in: 1...3650,
                "how long change feeds know deletions; sync tokens from before then expire"),
            Setting(
                "device-silence-days-max", \.deviceSilenceDaysMax, in: 0...3650,
                "days of service without a word after which a device is removed with its feed, as devices/list announces; 0 keeps all"
            ),
            Setting(
                "cloudkit-predicates", \.cloudKitPredicates,
                "containers, separated by commas, whose predicate strings may use CloudKit's subset alone"
            ) { _ in nil },
        ] + frontDoorSettings + continuitySettings + consoleSettings

    private static let internalSettings: [Setting<Configuration>] = [
        Setting("internal-listen", \.internalListen, "host and port of health and metrics", allowed: address),
        Setting(
            "internal-token", \.internalToken,
            "the bearer token of metrics and stages at the internal port; without one every client that reaches the port may read them",
            secret: true
        ) { token in
            let isSendable = token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            return isSendable && (token.isEmpty || token.utf8.count >= 16)
                ? nil : "has at least 16 characters of ASCII, without spaces"
        },
        Setting(
            "host-names", \.hostNames,
            "further names in the header Host, several by commas, such as those of a service in a cluster; those of public-url and listen, localhost and IP addresses need not be named, other names are refused"
        ) { names in
            names.first { $0.utf8.contains { !($0 > 0x20 && $0 < 0x7F) || ":/@[]".utf8.contains($0) } }
                .map { "has '\($0)', which is no name without a port" }
        },
    ]

    private static let deliverySettings: [Setting<Configuration>] =
        internalSettings + tracingSettings + [
            Setting(
                "stages", \.stages, "match, deliver, feeds, or some of them; feeds does nothing without 'feed-topics'"
            ) {
                stages in
                let isKnown = !stages.isEmpty && stages.allSatisfy { ["match", "deliver", "feeds"].contains($0) }
                return isKnown ? nil : "is match, deliver, feeds, or some of them separated by commas"
            }
        ]

    private static let markSettings: [Setting<Configuration>] = [
        Setting(
            "crash-marks", \.crashMarks,
            "the folder in which a process notes what it works on, so that an entry at which it dies is set aside after three deaths; it has to outlive the process; 'crash-marks' in the data folder when absent"
        ),
        Setting(
            "table-snapshots", \.tableSnapshots,
            "the folder in which a matcher keeps its table of subscriptions, so that its next start need not read all of the topic; it may be emptied at any time; 'table-snapshots' in the data folder when absent"
        ),
    ]

    private static let targetSettings: [Setting<Configuration>] = [
        Setting("container", \.targeting.container, "the container; the first one that is served when absent"),
        Setting("environment", \.targeting.environment, "development or production") { name in
            CloudEnvironment(rawValue: name) == nil ? "is development or production, not '\(name)'" : nil
        },
    ]

    private static let clientSettings: [Setting<Configuration>] = [
        Setting("url", \.client.url, "the record-service's address"),
        Setting("api-token", \.apiToken, "the API token", secret: true),
        Setting("user", \.client.user, "the user to sign in (if development-sign-in is on)"),
        Setting("web-auth-token", \.client.webAuthToken, "a sign-in made before, instead of a user", secret: true),
        Setting("json", \.printing.isJSON, "results for programs, on standard output"),
    ]

    private static let listingSettings: [Setting<Configuration>] = [
        Setting("json", \.printing.isJSON, "results for programs, on standard output")
    ]

    @Sendable static func address(_ text: String) -> String? {
        Address(text) == nil ? "is HOST:PORT, such as 127.0.0.1:8080, not '\(text)'" : nil
    }

    @Sendable static func apiToken(_ token: String) -> String? {
        let isHexadecimal = token.utf8.count == 64 && token.allSatisfy(\.isHexDigit)
        return token.isEmpty || isHexadecimal ? nil : "is 64 hexadecimal digits"
    }

    @Sendable static func database(_ text: String) -> String? {
        ["public", "private"].contains(text) ? nil : "is public or private, not '\(text)'"
    }
}
