import Testing

@testable import HTTPClient

#if canImport(Glibc)
    import Glibc
#endif

/// The addresses that may be connected to for users.
struct NetworkAddressTests {
    static func address(_ text: String) throws -> NetworkAddress {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return .v4(UInt32(bigEndian: four.s_addr)) }
        var six = in6_addr()
        try #require(inet_pton(AF_INET6, text, &six) == 1, "\(text)")
        return withUnsafeBytes(of: &six) {
            .v6(
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    @Test(
        "addresses inside are refused, to the first and the last of their range",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
            "192.0.0.0", "192.0.0.255", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
            "198.19.255.255", "198.51.100.1", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255",
            "::", "::1", "::2", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::c0a8:1", "64:ff9b:1::8.8.8.8",
            "64:ff9b:0:0:1::8.8.8.8", "100::1", "2001::1", "2001:0:7f00:1::", "2001:1ff:ffff::1", "2001:10::1",
            "2001:20::1",
            "2001:db8::1", "2001:db8:ffff::", "2002::1", "2002:7f00:1::", "2002:0808:0808::1", "3fff::1",
            "3fff:fff:ffff::1", "4000::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff00::1",
            "ff02::1",
            "ffff::1",
        ])
    func inside(text: String) throws {
        let address = try Self.address(text)
        #expect(!address.isPublic)
        #expect(!OutgoingGuard().allows(address))
    }

    @Test(
        "addresses of the public network are allowed, next to the ranges inside",
        arguments: [
            "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8",
            "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111",
            "2a00:1450::1", "3ffe::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        ])
    func outside(text: String) throws { #expect(OutgoingGuard().allows(try Self.address(text))) }

    @Test("development allows this machine and nothing else inside")
    func development() throws {
        let guarding = OutgoingGuard(allowsLoopback: true)
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "8.8.8.8"] {
            #expect(guarding.allows(try Self.address(text)), "\(text)")
        }
        for text in ["0.0.0.0", "10.0.0.1", "::", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "fe80::1"] {
            #expect(!guarding.allows(try Self.address(text)), "\(text)")
        }
        #expect(!guarding.allows(.other))
    }
}
