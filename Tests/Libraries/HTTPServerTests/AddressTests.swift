import Testing

@testable import HTTPServer

/// By which address a client's share is counted.
@Suite struct AddressTests {
    @Test func networksAreAddressesOrPartsOfIPv6() throws {
        func network(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)).network }
        #expect(try network("192.0.2.1") != network("192.0.2.2"))
        #expect(try network("192.0.2.1") == network("::ffff:192.0.2.1"))
        #expect(try network("2001:db8:1:2::1") == network("2001:db8:1:2:ffff::9"))
        #expect(try network("2001:db8:1:2::1") != network("2001:db8:1:3::1"))
        #expect(try network("::1") != network("::2"))
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(try #require(ClientAddress(text)).isLoopback)
        }
        for text in ["128.0.0.1", "::2", "10.0.0.1", "2001:db8::127.0.0.1"] {
            #expect(try !#require(ClientAddress(text)).isLoopback)
        }
        let others = ["", "1.2.3", "1.2.3.4.5", "h", "1.2.3.4 ", "::g", "[::1]", "1.2.3.4\u{0}x", "2001:db8::\u{0}"]
        for text in others { #expect(ClientAddress(text) == nil) }
    }

    @Test func rangesHaveTheirBits() throws {
        func has(_ range: String, _ address: String) throws -> Bool {
            try #require(AddressRange(range)).contains(#require(ClientAddress(address)))
        }
        #expect(try has("10.0.0.0/8", "10.255.0.1") && !has("10.0.0.0/8", "11.0.0.1"))
        #expect(try has("10.1.2.3", "10.1.2.3") && !has("10.1.2.3", "10.1.2.4"))
        #expect(try has("0.0.0.0/0", "8.8.8.8") && !has("0.0.0.0/0", "2001:db8::1"))
        #expect(try has("fd00::/8", "fd12::1") && !has("fd00::/8", "fe00::1"))
        #expect(try has("2001:db8::/65", "2001:db8::1") && !has("2001:db8::/65", "2001:db8:0:0:8000::1"))
        for text in ["", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "h/8", "10.0.0.0/"] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        // The header of an untrusted proxy is ignored.
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        // The client's own text comes first.
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.7,10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"), ("10.0.0.1", ["[2001:db8::1]:80"], "2001:db8::1"),
        ("10.0.0.1", ["10.0.0.9"], "10.0.0.9"), ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, unknown"], "10.0.0.1"), ("10.0.0.1", ["203.0.113.9, , 10.0.0.2"], "10.0.0.2"),
    ]) func proxiesSayWhereARequestComesFrom(peer: String, forwarded: [String], client: String) throws {
        let proxies = TrustedProxies(ranges: [try #require(AddressRange("10.0.0.0/8"))])
        let headers = HTTPHeaders(forwarded.map { ("X-Forwarded-For", $0) })
        #expect(proxies.client(of: ClientAddress(peer), headers) == ClientAddress(client))
    }
}
