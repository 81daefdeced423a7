import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import HTTPClient

#if canImport(Glibc)
    import Glibc
#endif

/// No byte reaches an address inside.
@Suite(.hangGuard)
struct GuardedClientTests {
    static func withClient(
        _ guarding: OutgoingGuard, resolutions: (@Sendable () -> [String])? = nil,
        _ body: (GuardedClient) async throws -> Void
    ) async throws {
        var configuration = MultiplexingConfiguration()
        configuration.resolutions = resolutions
        configuration.caFile = TestCertificate.shared.file
        configuration.connectTimeout = .seconds(30)
        let client = GuardedClient(guarding, configuration)
        let result: Result<Void, any Error>
        do {
            try await body(client)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await client.close()
        try result.get()
    }

    static func post(_ url: GuardedURL, by client: GuardedClient, _ headers: [(String, String)] = []) async throws
        -> HTTPClientResponse
    {
        try await client.send("POST", to: url, headers: headers, body: Array("0".utf8), timeout: hangGuard)
    }

    @Test(
        "a name that leads inside is refused right before the connection",
        arguments: [
            "127.0.0.1", "127.0.0.2", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:0.0.0.0]", "10.0.0.1",
            "169.254.169.254", "192.168.1.1", "[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]",
            "224.0.0.1",
            "255.255.255.255", "127.0.0.1,[::1],0.0.0.0",
        ])
    func insideAddresses(address: String) async throws {
        let server = FrameServer { $0.answer($1) }
        defer { server.stop() }
        let guarding = OutgoingGuard(hosts: ["*"], ports: [server.port])
        let url = try guarding.check("https://push.example:\(server.port)/a")
        try await Self.withClient(guarding, resolutions: { ["push.example:\(server.port):\(address)"] }) { client in
            for _ in 0..<3 {
                await #expect { try await Self.post(url, by: client) } throws: { error in
                    (error as? HTTPClientError)?.kind == .forbiddenAddress
                        && (error as? HTTPClientError)?.retry == .never
                }
            }
            #expect(client.connectionsOpened(within: hangGuard) == 0)
        }
        #expect(server.accepted == 0)
    }

    /// 127.0.0.1 is allowed here; 0.0.0.0 leads to the same server and is not.
    @Test("a name that leads elsewhere at the next connection is checked again")
    func rebinding() async throws {
        let connections = Mutex<[FrameConnection]>([])
        let server = FrameServer { connection, request in
            connections.withLock { $0.append(connection) }
            connection.answer(request)
        }
        defer { server.stop() }
        let guarding = OutgoingGuard(allowsLoopback: true)
        let url = try guarding.check("https://localhost:\(server.port)/a")
        let address = Mutex("127.0.0.1")
        try await Self.withClient(
            guarding, resolutions: { ["localhost:\(server.port):\(address.withLock { $0 })"] }
        ) { client in
            for inside in ["0.0.0.0", "[::ffff:0.0.0.0]", "10.0.0.1"] {
                address.withLock { $0 = "127.0.0.1" }
                let answer = try await Self.post(url, by: client)
                #expect(answer.status == 200)
                let accepted = server.accepted
                address.withLock { $0 = inside }
                // The kept connection leads where it led.
                let again = try await Self.post(url, by: client)
                #expect(again.status == 200)
                #expect(server.accepted == accepted)
                for connection in connections.withLock({ $0 }) { connection.end(.stop) }
                connections.withLock { $0 = [] }
                try await eventually("the connection is gone") { server.connectionsOpen == 0 }
                await #expect { try await Self.post(url, by: client) } throws: {
                    ($0 as? HTTPClientError)?.kind == .forbiddenAddress
                }
                #expect(server.accepted == accepted)
            }
        }
    }

    @Test(
        "an allowed address is used though others of the name are forbidden",
        arguments: ["0.0.0.0,127.0.0.1", "127.0.0.1,0.0.0.0"])
    func mixedAddresses(addresses: String) async throws {
        let server = FrameServer { $0.answer($1) }
        defer { server.stop() }
        let guarding = OutgoingGuard(allowsLoopback: true)
        let url = try guarding.check("https://localhost:\(server.port)/a")
        try await Self.withClient(guarding, resolutions: { ["localhost:\(server.port):\(addresses)"] }) { client in
            let answer = try await Self.post(url, by: client)
            #expect(answer.status == 200)
        }
    }

    @Test("a redirection is an answer, and is not followed")
    func redirection() async throws {
        let inside = FrameServer { $0.answer($1) }
        let server = FrameServer {
            $0.answer($1, status: 307, headers: [("location", "\(inside.url)/")])
        }
        defer {
            inside.stop()
            server.stop()
        }
        let guarding = OutgoingGuard(allowsLoopback: true)
        let url = try guarding.check("https://127.0.0.1:\(server.port)/a")
        try await Self.withClient(guarding) { client in
            let answer = try await Self.post(url, by: client)
            #expect(answer.status == 307)
        }
        #expect(inside.accepted == 0)
    }

    @Test("a header that would write another is refused")
    func headers() async throws {
        let server = FrameServer { $0.answer($1) }
        defer { server.stop() }
        let guarding = OutgoingGuard(allowsLoopback: true)
        let url = try guarding.check("https://127.0.0.1:\(server.port)/a")
        try await Self.withClient(guarding) { client in
            for value in ["a\r\nX: b", "a\nb", "a\0b"] {
                await #expect { try await Self.post(url, by: client, [("Topic", value)]) } throws: {
                    ($0 as? HTTPClientError)?.kind == .invalidRequest
                }
            }
        }
        #expect(server.accepted == 0)
    }

    @Test("a host that fails does not hold up others, and a server of HTTP/1.1 is one of them")
    func severalHosts() async throws {
        let silent = FrameServer { _, _ in }
        defer { silent.stop() }
        let configuration = HTTPServerConfiguration()
        let plain = try await HTTPServer.start(
            configuration, handler: Route(answering: { .now(.text("\($0.body.count) bytes")) }))
        let guarding = OutgoingGuard(allowsLoopback: true)
        let quiet = try guarding.check("https://127.0.0.1:\(silent.port)/a")
        let url = try guarding.check("http://127.0.0.1:\(plain.port)/a")
        let none = try guarding.check("http://127.0.0.1:1/a")
        try await Self.withClient(guarding) { client in
            let waiting = (0..<10).map { _ in Task { try await Self.post(quiet, by: client) } }
            for _ in 0..<10 {
                await #expect { try await Self.post(none, by: client) } throws: {
                    ($0 as? HTTPClientError)?.kind == .connection
                }
                let answer = try await Self.post(url, by: client)
                #expect(answer.text == "1 bytes")
            }
            for task in waiting { task.cancel() }
            #expect(plain.counts.connections == 1)
        }
        await plain.stop(grace: .seconds(2))
    }

    /// In a process of its own, as the environment is everybody's.
    @Test("the environment's proxies are not used")
    func proxies() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = FrameServer { $0.answer($1) }
            let server = FrameServer { $0.answer($1) }
            setenv("https_proxy", proxy.url, 1)
            setenv("ALL_PROXY", proxy.url, 1)
            let guarding = OutgoingGuard(allowsLoopback: true)
            let url = try guarding.check("https://127.0.0.1:\(server.port)/a")
            try await Self.withClient(guarding) { client in
                let answer = try await Self.post(url, by: client)
                #expect(answer.status == 200)
            }
            try #require(proxy.accepted == 0)
            try #require(server.accepted == 1)
        }
    }
}
