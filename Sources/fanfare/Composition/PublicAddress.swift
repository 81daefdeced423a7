import CloudModel
import HTTPServer
import Settings
import Telemetry
import TextForms

/// The base URL that the service gives to clients: URLs of assets and web couriers contain secrets, so that it never
/// comes from a request's header, but where only this machine can be reached by it.
struct PublicAddress: Sendable {
    /// The address; nil where `Host` may be taken, as only this machine can be reached by it.
    let url: String?
    /// The names that `Host` may have at the public port.
    let hosts: HostNames

    /// Chooses the address.
    init(_ configuration: Configuration) {
        let given = configuration.server.publicURL
        let listen = Address(configuration.server.listen)!
        let names = configuration.hostNames + [listen.host]
        if given.isEmpty, Self.isLoopback(listen) {
            url = nil
            hosts = HostNames(names, addresses: .loopback)
            return
        }
        url = given.isEmpty ? Self.own(configuration, listen) : given
        hosts = HostNames(names + Self.host(of: given), addresses: .all)
    }

    /// Refuses to serve people without an address for their sign-in. Where it comes from `Host`, a proxy on this machine
    /// lets any client choose where the identity provider sends users back to. A trial on this machine alone needs none:
    /// it takes `Host` of names of this machine only (docs/decisions/0037-host-is-one-of-the-services-names.md).
    /// - Parameter isWhole: whether the process is a whole system (`fanfare dev`).
    static func require(_ configuration: Configuration, isWhole: Bool) throws {
        let isHere = isLoopback(Address(configuration.server.listen)!)
        guard configuration.server.publicURL.isEmpty, !(isWhole && isHere) else { return }
        let reason: String
        if !configuration.signIn.oidcIssuer.isEmpty {
            reason = "'oidc-issuer' is set"
        } else if configuration.environments.contains(CloudEnvironment.production.rawValue),
            configuration.areEnvironmentsNamed || !isHere
        {
            reason = "the environment production is served ('environments' may leave it out)"
        } else {
            return
        }
        throw SettingsError(
            "the setting 'public-url' is missing, and \(reason): say where clients reach the API, as in --public-url https://api.example.com or FANFARE_PUBLIC_URL"
        )
    }

    /// The address of a port that others reach, if no setting names one.
    private static func own(_ configuration: Configuration, _ listen: Address) -> String {
        let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
        let host = isEverywhere ? "localhost" : listen.host.contains(":") ? "[\(listen.host)]" : listen.host
        let scheme = configuration.server.tlsCertificate.isEmpty ? "http" : "https"
        let address = "\(scheme)://\(host):\(listen.port)"
        Log.warning("public-url.missing", ["listen": configuration.server.listen, "address": address])
        return address
    }

    static func isLoopback(_ listen: Address) -> Bool {
        listen.host == "localhost" || ClientAddress(listen.host)?.isLoopback == true
    }

    /// The host of a URL, without brackets; none for no URL.
    static func host(of url: String) -> [String] {
        guard let start = url.firstPlace(of: "://")?.upperBound else { return [] }
        let authority = String(url[start...].prefix { !"/?#".contains($0) })
        return (Address(authority) ?? Address(authority + ":0")).map { [$0.host] } ?? []
    }
}
