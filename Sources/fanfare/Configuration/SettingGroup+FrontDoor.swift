import HTTPServer
import Settings

extension SettingGroup {
    /// The rates that one sender may take of the public port; ten seconds' worth of a rate may be taken at once.
    static let frontDoorSettings: [Setting<Configuration>] = [
        Setting(
            "trusted-proxies", \.frontDoor.trustedProxies,
            "addresses and ranges (10.0.0.0/8), separated by commas, whose X-Forwarded-For says where a request comes from"
        ) { ranges in
            ranges.first { AddressRange($0) == nil }.map { "has '\($0)', which is no address or range of addresses" }
        },
        Setting(
            "connections-per-address-max", \.frontDoor.connectionsPerAddress, in: 0...1_000_000,
            "connections of one address, or IPv6 network (/64); 0 is a quarter of connections-max; 127.0.0.1 and ::1 have no bound"
        ),
        Setting(
            "held-per-user-max", \.frontDoor.heldPerUser, in: 0...1_000_000,
            "long polls, streams and web couriers of a user that wait at once; 0 is no bound"),
        Setting(
            "held-per-token-max", \.frontDoor.heldPerToken, in: 0...1_000_000,
            "the same of an API token, all its users together; 0 is seven eighths of connections-max"),
        rate("user-requests", \.frontDoor.userRequests, "requests of a user, or of an address without one,"),
        rate("user-mebibytes", \.frontDoor.userMebibytes, "MiB of bodies and answers of a user"),
        rate("user-cost", \.frontDoor.userCost, "records that a user's requests read or write, about,"),
        rate("token-requests", \.frontDoor.tokenRequests, "requests with one API token or server key"),
        rate(
            "token-mebibytes", \.frontDoor.tokenMebibytes, "MiB of bodies and answers with one API token or server key"),
        rate("token-cost", \.frontDoor.tokenCost, "records read or written with one API token or server key, about,"),
        rate("address-requests", \.frontDoor.addressRequests, "requests of an address but 127.0.0.1 and ::1"),
        rate("address-mebibytes", \.frontDoor.addressMebibytes, "MiB of bodies and answers of such an address"),
        rate("address-cost", \.frontDoor.addressCost, "records read or written for such an address, about,"),
        rate("refused-requests", \.frontDoor.refusedRequests, "requests of any address without good credentials"),
    ]

    private static func rate(
        _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable, _ meaning: String
    ) -> Setting<Configuration> {
        Setting("rate-\(name)", path, in: 0...1_000_000_000, "\(meaning) in a second; more is THROTTLED; 0 is no bound")
    }
}
