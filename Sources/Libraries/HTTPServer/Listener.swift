import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#endif

/// A listening socket, bound by us rather than by libmicrohttpd so that a failure says why.
struct Listener {
    let descriptor: Int32
    let port: Int

    /// Resolves the host and binds to its first address that takes it. May block on name resolution.
    init(host: String, port: Int) throws(HTTPServerError) {
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = microhttpd_resolve(host, "\(port)", &addresses)
        guard code == 0 else {
            throw HTTPServerError(
                .address,
                "Cannot listen on \(host): \(String(cString: gai_strerror(code))). "
                    + "Use a name or an address of this machine, 0.0.0.0 or ::.")
        }
        defer { freeaddrinfo(addresses) }
        var failure: Int32 = EADDRNOTAVAIL
        var candidate = addresses
        while let address = candidate {
            let descriptor = microhttpd_listen(address)
            if descriptor >= 0 {
                self.descriptor = descriptor
                self.port = Self.boundPort(descriptor)
                return
            }
            failure = errno
            candidate = address.pointee.ai_next
        }
        throw Self.error(failure, host: host, port: port)
    }

    func close() { _ = Glibc.close(descriptor) }

    private static func boundPort(_ descriptor: Int32) -> Int {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port lies at the same place in IPv4's and IPv6's addresses.
        return Int(UInt16(bigEndian: storage.sin6_port))
    }

    private static func error(_ code: Int32, host: String, port: Int) -> HTTPServerError {
        let attempt = "Cannot listen on \(host) port \(port): \(String(cString: strerror(code)))."
        return switch code {
        case EADDRINUSE:
            HTTPServerError(.portInUse, "\(attempt) Stop what listens there, or use another port (0 takes a free one).")
        case EACCES:
            HTTPServerError(.address, "\(attempt) Ports under 1024 need a privilege; use a higher one.")
        case EADDRNOTAVAIL:
            HTTPServerError(.address, "\(attempt) The address is not this machine's; use one of its own or 0.0.0.0.")
        default:
            HTTPServerError(.resources, "\(attempt) Check the limit of open files (ulimit -n) and the network.")
        }
    }
}
