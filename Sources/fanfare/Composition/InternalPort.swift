/// The port of health, metrics and stages: its address, and what is shown there.
struct InternalPort: Sendable {
    let address: Address
    /// Nil: it is open to whoever reaches it.
    let token: String?

    init(_ configuration: Configuration) {
        address = Address(configuration.internalListen)!
        token = configuration.internalToken.isEmpty ? nil : configuration.internalToken
    }

    /// Indicates whether other machines may reach it and need to show nothing.
    var isExposed: Bool {
        token == nil && !address.host.hasPrefix("127.") && !["localhost", "::1"].contains(address.host)
    }
}
