import HTTPServer
import Settings

/// The base URL of the console's own listener, and the names that `Host` may have there.
struct ConsoleAddress: Sendable {
    /// The address; nil where `Host` may be taken, as only this machine can be reached by it.
    let url: String?
    let hosts: HostNames

    /// - Throws: `SettingsError` where other machines reach the listener and no setting says by which address.
    init(_ configuration: Configuration, _ listen: Address) throws {
        let given = configuration.console.url
        let names = configuration.hostNames + [listen.host]
        if given.isEmpty {
            guard PublicAddress.isLoopback(listen) else {
                throw SettingsError(
                    "the setting 'console-url' is missing, and other machines reach the console at \(listen.host): say how browsers reach it, as in --console-url https://console.example.com"
                )
            }
            url = nil
            hosts = HostNames(names, addresses: .loopback)
        } else {
            url = given
            hosts = HostNames(names + PublicAddress.host(of: given), addresses: .all)
        }
    }
}
