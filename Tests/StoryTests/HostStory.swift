import CloudModel
import HTTPClient
import TestSupport
import Testing

/// A page that an attacker leads to this machine by a name of the attacker's (DNS rebinding).
@Suite(.hangGuard) struct HostStory {
    @Test("a page under a rebound name neither signs in to fanfare dev nor reads its internal port")
    func rebinding() async throws {
        let folder = TemporaryFolder()
        let ports = try RealKafka.freePorts(2).map(Int.init)
        let process = FanfareProcess(
            [
                "dev", "--data", folder.path("data"), "--listen", "127.0.0.1:\(ports[0])", "--internal-listen",
                "127.0.0.1:\(ports[1])", "--api-token", String(repeating: "a", count: 64),
            ], folder: folder, name: "dev")
        try process.start()
        defer { process.killNow() }
        let http = HTTPClient()
        let signIn =
            "/auth/1/iCloud.com.example.Gallery/development/signin?ckAPIToken=" + String(repeating: "a", count: 64)
        @Sendable func status(_ port: Int, _ path: String, host: String?, body: String? = nil) async throws -> Int {
            var request = HTTPClientRequest(
                body == nil ? "GET" : "POST", "http://127.0.0.1:\(port)\(path)",
                headers: host.map { [("Host", $0), ("Origin", "http://\($0)")] } ?? [])
            if let body { request.body = .bytes(Array(body.utf8)) }
            return try await http.send(request).status
        }
        try await eventually("fanfare dev") {
            (try? await status(ports[1], "/health/ready", host: nil)) == 200
        }
        for host in ["evil.example:\(ports[0])", "evil.example", "localhost.evil.example", "dev"] {
            #expect(try await status(ports[0], signIn, host: host, body: #"{"user": "alice"}"#) == 403)
            #expect(try await status(ports[0], "/openapi.yaml", host: host) == 403)
            for path in ["/metrics", "/stages", "/health/ready", "/health/live"] {
                #expect(try await status(ports[1], path, host: host) == 403)
            }
        }
        for host in [nil, "localhost:\(ports[0])", "[::1]:\(ports[0])"] {
            #expect(try await status(ports[0], signIn, host: host, body: #"{"user": "alice"}"#) == 200)
            #expect(try await status(ports[1], "/metrics", host: host) == 200)
        }
        #expect(try await status(ports[1], "/metrics", host: "10.1.2.3:8081") == 200)
        await http.close()
    }
}
