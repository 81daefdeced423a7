import HTTPServer
import Telemetry

/// The address that the service tells clients to come to: those of assets and web couriers carry secrets, so that it is never
/// what a stranger wrote into a header.
enum PublicAddress {
    /// The address; nil where `Host` may be taken, as only this machine can be reached by it.
    static func choose(_ configuration: Configuration) -> String? {
        if !configuration.publicURL.isEmpty { return configuration.publicURL }
        let listen = Address(configuration.listen)!
        if listen.host == "localhost" || ClientAddress(listen.host)?.isLoopback == true { return nil }
        let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
        let host = isEverywhere ? "localhost" : listen.host.contains(":") ? "[\(listen.host)]" : listen.host
        let scheme = configuration.tlsCertificate.isEmpty ? "http" : "https"
        let address = "\(scheme)://\(host):\(listen.port)"
        Log.warning("public-url.missing", ["listen": configuration.listen, "address": address])
        return address
    }
}
