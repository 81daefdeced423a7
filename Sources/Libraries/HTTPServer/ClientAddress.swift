import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#endif

/// The address by which a client's share of the server is counted: an IPv4 address, or the network (/64) of an IPv6
/// one, as the owner of one address of such a network has all.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4 addresses as IPv6 writes them (`::ffff:a.b.c.d`).
    let high: UInt64
    let low: UInt64

    /// An address as text; nil for other texts.
    package init?(_ text: String) {
        // The C functions would read it up to a NUL.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] + withUnsafeBytes(of: four, Array.init))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: six, Array.init))
        } else {
            return nil
        }
    }

    /// The address of a socket's other end; nil for other families than IP.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr, Array.init)
            }
            self.init(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] + bytes)
        case AF_INET6:
            let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init)
            }
            self.init(bytes: bytes)
        default: return nil
        }
    }

    private init(bytes: [UInt8]) {
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The network that shares are counted by: of IPv6 a /64.
    package var network: ClientAddress { isIPv4 || isLoopback ? self : ClientAddress(high: high, low: 0) }

    package var description: String { "\(String(high, radix: 16)):\(String(low, radix: 16))" }

    private var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Indicates whether it is an address of this machine to itself.
    package var isLoopback: Bool { high == 0 && (low == 1 || isIPv4 && low >> 24 & 0xff == 127) }

    /// True for the address by which a proxy or a tool on this machine connects. The rest of 127.0.0.0/8 is left to
    /// clients that want to be counted separately.
    package var isLocalhost: Bool { high == 0 && (low == 1 || low == 0xffff_7f00_0001) }

    /// Returns true if the address begins with the same bits as another, of 128.
    func isWithin(_ other: ClientAddress, bits: Int) -> Bool {
        func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(UInt64.max >> UInt64(bits)) }
        let (upper, lower) = (mask(bits), mask(bits - 64))
        return high & upper == other.high & upper && low & lower == other.low & lower
    }
}
