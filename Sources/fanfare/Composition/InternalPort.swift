import HTTPServer

/// The port of health, metrics and stages: its address and its answers.
struct InternalPort: Sendable {
    let address: Address
    /// Nil: every client that reaches the port may read it.
    let token: String?
    /// The names that `Host` may have. Orchestrators and Prometheus come by address, or by a name of the settings.
    let hosts: HostNames

    init(_ configuration: Configuration) {
        address = Address(configuration.internalListen)!
        hosts = HostNames(configuration.hostNames + [address.host], addresses: .all)
        token = configuration.internalToken.isEmpty ? nil : configuration.internalToken
    }

    /// Indicates whether other machines may reach it and need to show nothing.
    var isExposed: Bool {
        token == nil && !address.host.hasPrefix("127.") && !["localhost", "::1"].contains(address.host)
    }
}
