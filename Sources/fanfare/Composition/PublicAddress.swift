import HTTPServer
import Telemetry

/// The address that the service tells clients to come to: those of assets and web couriers carry secrets, so that it is never
/// what a stranger wrote into a header.
enum PublicAddress {
    /// The address; nil where `Host` may be taken, as only this machine can be reached by it.
    static func choose(_ configuration: Configuration) -> String? {
        if !configuration.server.publicURL.isEmpty { return configuration.server.publicURL }
        let listen = Address(configuration.server.listen)!
        if listen.host == "localhost" || ClientAddress(listen.host)?.isLoopback == true { return nil }
        let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
        let host = isEverywhere ? "localhost" : listen.host.contains(":") ? "[\(listen.host)]" : listen.host
        let scheme = configuration.server.tlsCertificate.isEmpty ? "http" : "https"
        let address = "\(scheme)://\(host):\(listen.port)"
        Log.warning("public-url.missing", ["listen": configuration.server.listen, "address": address])
        return address
    }
}
