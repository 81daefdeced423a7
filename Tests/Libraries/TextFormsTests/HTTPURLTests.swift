import Testing
import TextForms

/// URLs that clients chose, as one reader reads them for all.
@Suite struct HTTPURLTests {
    @Test(
        "a URL has one spelling, and its authority no usual port",
        arguments: [
            ("https://a.example", "https://a.example/", "a.example"),
            ("HTTPS://A.Example:443?b=@c", "https://a.example/?b=@c", "a.example"),
            ("http://localhost:80/x", "http://localhost/x", "localhost"),
            ("http://127.0.0.1:443/", "http://127.0.0.1:443/", "127.0.0.1:443"),
            ("https://[2001:DB8::1]:8443/%2F", "https://[2001:db8::1]:8443/%2F", "[2001:db8::1]:8443"),
            ("https://a", "https://a/", "a"), ("https://10.0.0.1/", "https://10.0.0.1/", "10.0.0.1"),
        ])
    func spelling(text: String, canonical: String, authority: String) throws {
        let url = try HTTPURL(text)
        #expect(url.text == canonical && url.authority == authority)
        #expect(url.origin + url.target == canonical)
        #expect(try HTTPURL(canonical) == url)
    }

    @Test(
        "what readers could take for another host is no URL",
        arguments: [
            ("", .scheme), ("ftp://a/", .scheme), ("//a/", .scheme), ("https:/a/", .scheme),
            ("https://a@b/", .credentials), ("https://@a/", .credentials), ("https://a\\@b/", .characters),
            ("https://a#b/", .characters), ("https://a/\r\nx", .characters), ("https://ä/", .characters),
            ("https:///", .host), ("https://[]/", .host), ("https://[g]/", .host), ("https://[::1%25eth0]/", .host),
            ("https://a%62/", .host), ("https://a[::1]/", .host), ("https://a;b/", .host), ("https://*.a/", .host),
            ("https://[::1/", .port), ("https://[::1]a/", .port), ("https://a:/", .port), ("https://a:0/", .port),
            ("https://a:01/", .port), ("https://a:65536/", .port), ("https://a:1:2/", .port), ("https://a:+1/", .port),
            ("https://a/\(String(repeating: "x", count: HTTPURL.bytesMax - 9))", .tooLong),
        ] as [(String, HTTPURL.Defect)])
    func defects(text: String, defect: HTTPURL.Defect) {
        #expect(throws: defect, "\(text)") { try HTTPURL(text) }
    }

    @Test(
        "this machine has three spellings", arguments: ["localhost", "127.0.0.1", "[::1]", "127.0.0.2", "[::2]", "a"])
    func loopback(host: String) throws {
        #expect(try HTTPURL("http://\(host):1/").isLoopback == ["localhost", "127.0.0.1", "[::1]"].contains(host))
    }
}
