import CloudModel
import HTTPClient
import Identity
import JSON
import RecordService
import TestSupport
import Testing

/// Web pages and the origins that API tokens are for (docs/operations.md; the Fetch standard).
@Suite struct CrossOriginTests {
    static let page = "https://app.example.com"

    @Test func aPageOfAnAllowedOriginReadsItsAnswers() async throws {
        try await WebBench.run { bench in
            let token = try await bench.system.identity.makeAPIToken(
                note: "web", origins: ["https://App.example.com:443", "http://localhost:3000"])
            let path = bench.database("records/lookup")
            func lookUp(_ origin: String?, _ token: String) async throws -> Answer {
                try await bench.send(
                    "POST", path, body: #"{"records": []}"#, apiToken: token,
                    headers: (origin.map { [("Origin", $0)] } ?? []) + [("Content-Type", "text/plain")])
            }
            for origin in [Self.page, "http://localhost:3000"] {
                let answer = try await lookUp(origin, token)
                #expect(answer.status == 200)
                #expect(answer.headers["Access-Control-Allow-Origin"] == origin)
                #expect(answer.headers["Vary"] == "Origin")
                let exposed = answer.headers["Access-Control-Expose-Headers"] ?? ""
                #expect(exposed.contains("X-Apple-CloudKit-Web-Auth-Token") && exposed.contains("X-Apple-Request-UUID"))
            }
            for origin in [
                "https://evil.example.com", "http://app.example.com", "https://app.example.com:8443", "null",
            ] {
                let answer = try await lookUp(origin, token)
                expect(answer, .accessDenied)
                #expect(answer.json["reason"]?.string?.contains("'\(origin)'") == true)
                #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
            }
            // No page: no origin. A token without origins is for all pages.
            #expect(try await lookUp(nil, token).headers["Access-Control-Allow-Origin"] == nil)
            #expect(try await lookUp("https://any.example.com", bench.apiToken).status == 200)
            // An error may be read by the page, too.
            let answer = try await lookUp(Self.page, String(repeating: "0", count: 64))
            expect(answer, .authenticationFailed)
            #expect(answer.headers["Access-Control-Allow-Origin"] == Self.page)
        }
    }

    @Test(
        "a page of another API token is refused, without a sign-in page, before its body is read too",
        arguments: [
            ("users/caller", "public"), ("records/modify", "public"), ("zones/list", "private"),
        ])
    func foreignPagesWithoutUser(endpoint: String, database: String) async throws {
        try await WebBench.run { bench in
            let token = try await bench.system.identity.makeAPIToken(note: "web", origins: [Self.page])
            func ask(_ origin: String, user: WebBench.SignedIn? = nil) async throws -> Answer {
                try await bench.send(
                    "POST", bench.database(endpoint, database), body: "{}", user: user, apiToken: token,
                    headers: [("Origin", origin)])
            }
            // The first request is admitted before the token is known, the others by it.
            for _ in 0..<3 {
                let answer = try await ask("https://evil.example.com")
                expect(answer, .accessDenied)
                #expect(answer.json["redirectURL"] == nil)
                #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
                let own = try await ask(Self.page)
                expect(own, .authenticationRequired)
                #expect(own.headers["Access-Control-Allow-Origin"] == Self.page)
            }
            let nobody = WebBench.SignedIn(token: "nonsense", name: "")
            expect(try await ask("https://evil.example.com", user: nobody), .accessDenied)
        }
    }

    @Test(arguments: Endpoint.all)
    func preflightsAllowMethodsAndHeaders(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            let token = try await bench.system.identity.makeAPIToken(note: "web", origins: [Self.page])
            func ask(_ origin: String) async throws -> Answer {
                try await bench.send(
                    "OPTIONS", endpoint.address(bench), apiToken: token,
                    headers: [
                        ("Origin", origin), ("Access-Control-Request-Method", endpoint.method),
                        ("Access-Control-Request-Headers", "content-type"),
                    ])
            }
            let answer = try await ask(Self.page)
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(answer.headers["Access-Control-Allow-Origin"] == Self.page)
            #expect(answer.headers["Access-Control-Allow-Methods"]?.contains(endpoint.method) == true)
            #expect(answer.headers["Access-Control-Allow-Headers"] == "content-type")
            #expect(answer.headers["Access-Control-Max-Age"] == "600")
            expect(try await ask("https://evil.example.com"), .accessDenied)
        }
    }

    @Test(arguments: [
        "", "app.example.com", "https://", "https://a/b", "https://a/", "ftp://a", "*", "https://*.a", "https://a b",
    ])
    func otherTextsAreNoOrigins(text: String) {
        #expect(throws: CloudError.self) { try APIToken.origin(text) }
    }
}
