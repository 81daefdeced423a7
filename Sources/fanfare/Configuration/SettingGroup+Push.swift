import Settings

extension SettingGroup {
    /// The settings that the record-service needs as well: it gives browsers the key, and refuses other URLs.
    static let addressSettings: [Setting<Configuration>] = [
        Setting(
            "vapid-subject", \.push.vapidSubject,
            "the contact that push services of browsers see, as mailto:push@example.com or an https URL; without one there is no Web Push. The key, vapid-CONTAINER.ENVIRONMENT.pem, is made beside the key ring"
        ),
        Setting(
            "web-push-hosts", \.push.webPushHosts,
            "hosts of push services, separated by commas; *.example.org is all names below, * is every name, which lets clients have requests sent to any server",
            allowed: hosts),
        Setting(
            "webhook-hosts", \.push.webhookHosts,
            "hosts that webhooks may be sent to, in the same form; none when absent", allowed: hosts),
        Setting(
            "push-ports", \.push.ports, "ports of push services and webhooks beside 443, separated by commas"
        ) { ports in
            ports.first { UInt16($0) == nil || UInt16($0) == 0 }.map { "has '\($0)', which is no port" }
        },
        Setting(
            "push-loopback", \.push.allowsLoopback,
            "whether Web Push and webhooks may be sent to this machine itself, by http and on any port: for development"
        ),
    ]

    static let pushSettings: [Setting<Configuration>] =
        addressSettings + [
            Setting(
                "apns-key-file", \.push.apnsKeyFile,
                "the .p8 file of Apple's key for its push service; without one, and without apns-table, nothing is sent to APNs"
            ),
            Setting("apns-key-id", \.push.apnsKeyID, "the ten characters that name that key", allowed: tenCharacters),
            Setting("apns-team-id", \.push.apnsTeamID, "the ten characters of the team", allowed: tenCharacters),
            Setting(
                "apns-topic", \.push.apnsTopic, "the bundle ID of the app, for devices whose registration names none"),
            Setting(
                "apns-table", \.push.apnsTable,
                "a JSON file with a key or certificate for single containers and environments (docs/push.md)"),
            Setting(
                "apns-production-url", \.push.apnsProductionURL, "where devices with apnsEnvironment production are",
                allowed: origin),
            Setting(
                "apns-development-url", \.push.apnsDevelopmentURL,
                "where devices with apnsEnvironment development are", allowed: origin),
            Setting(
                "push-ca-file", \.push.caFile,
                "a PEM file with the issuers to trust for all providers, in place of the system's"),
            Setting(
                "push-expiry-days", \.push.expiryDays, in: 1...28,
                "how long APNs and push services keep what shows something for a device that is away"),
            Setting(
                "push-log-rows", \.push.logRows, in: 0...100_000_000,
                "the most that a sender notes of the last day's pushes, for fanfare explain, in a file in the data folder; 0 for nothing"
            ),
        ]

    @Sendable private static func tenCharacters(_ text: String) -> String? {
        let isGood = text.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return text.isEmpty || isGood ? nil : "has ten letters and digits, not '\(text)'"
    }

    @Sendable private static func origin(_ url: String) -> String? {
        let rest = url.dropFirst("https://".count)
        let isGood = url.hasPrefix("https://") && !rest.isEmpty && !rest.contains { "/?#@ ".contains($0) }
        return isGood ? nil : "is https:// and a host, with a port if need be, not '\(url)'"
    }

    @Sendable private static func hosts(_ hosts: [String]) -> String? {
        for host in hosts {
            let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
            let isName = name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
            }
            guard host == "*" || isName && name.contains(".") else {
                return "has '\(host)', which is no name of a host in lower case, *.example.org or *"
            }
        }
        return nil
    }
}
