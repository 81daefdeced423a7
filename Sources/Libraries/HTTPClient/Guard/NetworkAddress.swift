/// An address that a host's name was resolved to.
enum NetworkAddress: Hashable {
    case v4(UInt32)
    case v6(UInt64, UInt64)
    /// Of another family, such as a socket in the file system.
    case other

    /// Ranges of IPv4 that are not for the public network, from IANA's registry of special-purpose addresses.
    private static let special: [(first: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
        (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
    ]

    /// True for an address of the public network: not one of this machine, its network, a multicast group, a
    /// documentation or a tunnel.
    var isPublic: Bool {
        switch self {
        case .v4(let value): !Self.special.contains { value >> (32 - $0.bits) == $0.first >> (32 - $0.bits) }
        case .v6(0, let low) where low >> 32 == 0xFFFF: Self.v4(UInt32(truncatingIfNeeded: low)).isPublic
        // NAT64: a router turns it into the IPv4 address that it ends with.
        case .v6(0x0064_FF9B_0000_0000, let low) where low >> 32 == 0: Self.v4(UInt32(low)).isPublic
        case .v6(let high, _):
            // 2000::/3 without the IETF's 2001::/23 (Teredo is there), documentation and 6to4.
            high >> 61 == 1 && high >> 41 != 0x2001_0000 >> 9 && high >> 32 != 0x2001_0DB8 && high >> 48 != 0x2002
                && high >> 44 != 0x3FFF0
        case .other: false
        }
    }

    /// True for this machine's own address that development uses: 127.0.0.0/8, also written as IPv6, and ::1.
    var isLoopback: Bool {
        switch self {
        case .v4(let value): value >> 24 == 127
        case .v6(0, 1): true
        case .v6(0, let low) where low >> 32 == 0xFFFF: low >> 24 & 0xFF == 127
        default: false
        }
    }
}
