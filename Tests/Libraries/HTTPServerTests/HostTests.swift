import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Names under which a server answers: a page under another name does not read it, wherever that leads (security review
/// 3, finding 19).
@Suite struct HostTests {
    private static let foreign = [
        "evil.example", "evil.example:8080", "EVIL.example", "localhost.evil.example", "127.0.0.1.evil.example",
        "evil.localhost", "api.example.com.evil.example", "xapi.example.com", "example.com", "127.0.0.1.nip.io",
        "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "evil", "", ":80", "[evil]", "[::1", "::1.evil.example",
    ]

    @Test("a name that is not the server's is not accepted", arguments: foreign)
    func foreignNames(host: String) {
        for addresses in [HostNames.Addresses.loopback, .all] {
            #expect(!HostNames(["api.example.com"], addresses: addresses).accepts(host))
        }
    }

    @Test("the server's names are accepted, with any port and in any case")
    func ownNames() {
        let hosts = HostNames(["Api.example.com", "fd00::1"], addresses: .loopback)
        for host in [
            "localhost", "localhost:1", "LOCALHOST.", "127.0.0.1", "127.0.0.1:8080", "127.8.9.10", "[::1]", "[::1]:1",
            "api.example.com", "API.EXAMPLE.COM:443", "api.example.com.", "[fd00::1]:8080", "[::ffff:127.0.0.1]",
        ] { #expect(hosts.accepts(host), "\(host)") }
        for host in ["192.0.2.1", "[2001:db8::1]:80", "0.0.0.0:8080", "169.254.169.254"] {
            #expect(!hosts.accepts(host), "\(host)")
            #expect(HostNames([], addresses: .all).accepts(host), "\(host)")
        }
    }

    @Test("a request under a foreign name is refused before the handler sees it, its target's name too")
    func requests() async throws {
        let seen = Mutex(0)
        let handler = TestHandler(answering: { _ in
            seen.withLock { $0 += 1 }
            return .now(.text("hello"))
        })
        try await withServer(handler, { $0.hosts = HostNames(["api.example.com"], addresses: .loopback) }) { server in
            for (line, host, expected) in [
                ("GET / HTTP/1.1", "Host: evil.example\r\n", "403"),
                ("GET / HTTP/1.1", "Host: evil.example:\(server.port)\r\n", "403"),
                ("POST / HTTP/1.1", "Host: evil.example\r\nContent-Length: 1\r\n", "403"),
                ("OPTIONS * HTTP/1.1", "Host: evil.example\r\n", "403"),
                ("GET http://evil.example/ HTTP/1.1", "Host: localhost\r\n", "403"),
                ("GET http://localhost/ HTTP/1.1", "Host: evil.example\r\n", "403"),
                ("GET / HTTP/1.0", "Host: evil.example\r\n", "403"),
                ("GET / HTTP/1.1", "Host: localhost:\(server.port)\r\n", "200"),
                ("GET / HTTP/1.1", "Host: api.example.com\r\n", "200"),
                ("GET http://api.example.com/ HTTP/1.1", "Host: api.example.com\r\n", "200"),
                ("GET / HTTP/1.0", "", "200"),
            ] {
                let connection = try RawConnection(port: server.port)
                try connection.send("\(line)\r\n\(host)Connection: close\r\n\r\n")
                if line.hasPrefix("POST") { try? connection.send("x") }
                let answer = String(decoding: try await connection.rest(), as: UTF8.self)
                #expect(answer.prefix(13).contains(" \(expected) "), "\(line) \(host) \(answer)")
            }
            #expect(seen.withLock(\.self) == 4)
        }
    }
}
