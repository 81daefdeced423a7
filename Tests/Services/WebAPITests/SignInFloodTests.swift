import CloudModel
import HTTPClient
import HTTPServer
import RecordService
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import Identity
@testable import WebAPI

/// Sign-ins that somebody makes up do not become requests to the identity provider without bound (security review 3,
/// finding 11).
@Suite struct SignInFloodTests {
    /// Runs a test on a service behind a proxy whose users sign in with a provider.
    private func run(
        rates: RateLimits = RateLimits(),
        _ body: @escaping @Sendable (TestIssuer, IdentityProvider, WebBench, HTTPClient) async throws -> Void
    ) async throws {
        let issuer = try await TestIssuer.start()
        issuer.addKey("tests")
        let http = HTTPClient()
        let provider = IdentityProvider(issuer: issuer.url, audiences: ["fanfare"], http: http)
        try await WebBench.run(identityProvider: provider, rates: rates, trustedProxies: ["127.0.0.1"]) { bench in
            issuer.state.withLock { $0.seconds = bench.system.service.now().milliseconds / 1000 }
            try await body(issuer, provider, bench, http)
        }
        await http.close()
        await issuer.stop()
    }

    /// Begins a sign-in and returns the address of the callback with a made-up code, and the cookie.
    private func begin(_ bench: WebBench, _ address: String) async throws -> (back: String, cookie: String) {
        let start = "/auth/1/\(bench.scopePath)/start"
        let answer = try await bench.raw(
            "POST", start, bytes: Array("ckAPIToken=\(bench.apiToken)".utf8),
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin"),
                ("X-Forwarded-For", address),
            ])
        let state = try #require(answer.headers["Location"]?.firstMatch(of: /state=([^&]+)/)?.1)
        let cookie = String(try #require(answer.headers["Set-Cookie"]).prefix { $0 != ";" })
        return ("/auth/1/\(bench.scopePath)/callback?state=\(state)&code=made-up", cookie)
    }

    private func finish(
        _ bench: WebBench, _ attempt: (back: String, cookie: String), _ address: String
    ) async throws -> Int {
        try await bench.raw(
            "GET", attempt.back, headers: [("Cookie", attempt.cookie), ("X-Forwarded-For", address)]
        ).status
    }

    @Test("one attempt makes one request to the provider, whatever codes come with it")
    func once() async throws {
        try await run { issuer, _, bench, _ in
            let attempt = try await begin(bench, "192.0.2.1")
            for number in 0..<50 {
                let other = attempt.back.replacing("made-up", with: "code\(number)")
                let status = try await finish(bench, (other, attempt.cookie), "192.0.2.\(number)")
                #expect(status == (number == 0 ? 401 : 400))
            }
            #expect(issuer.state.withLock(\.exchanges) == 1)
        }
    }

    @Test("the same attempt is good once when many come at the same moment")
    func onceAtOnce() async throws {
        try await run { issuer, _, bench, _ in
            let attempt = try await begin(bench, "192.0.2.1")
            let passed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await finish(bench, attempt, "192.0.2.1") } }
                return try await group.reduce(0) { $0 + ($1 == 401 ? 1 : 0) }
            }
            #expect(passed == 1)
            #expect(issuer.state.withLock(\.exchanges) == 1)
        }
    }

    @Test("an answer without a code, or with an error, uses the attempt up", arguments: ["error=access_denied", "x=y"])
    func otherAnswers(answer: String) async throws {
        try await run { issuer, _, bench, _ in
            let attempt = try await begin(bench, "192.0.2.1")
            let other = attempt.back.replacing("code=made-up", with: answer)
            #expect([400, 401].contains(try await finish(bench, (other, attempt.cookie), "192.0.2.1")))
            #expect(try await finish(bench, attempt, "192.0.2.1") == 400)
            #expect(issuer.state.withLock(\.exchanges) == 0)
        }
    }

    @Test("an address that is refused too often makes no request to the provider")
    func refused() async throws {
        var rates = RateLimits()
        // One, and the next after many minutes.
        rates.refusedPerSecond = 0.001
        try await run(rates: rates) { issuer, _, bench, _ in
            var attempts: [(back: String, cookie: String)] = []
            for _ in 0..<6 { attempts.append(try await begin(bench, "192.0.2.9")) }
            for (number, attempt) in attempts.enumerated() {
                let status = try await finish(bench, attempt, "192.0.2.1")
                #expect(status == (number == 0 ? 401 : 429))
            }
            #expect(issuer.state.withLock(\.exchanges) == 1)
        }
    }

    @Test("few codes are exchanged at once, and one address leaves room for others")
    func atOnce() async throws {
        try await run { issuer, provider, bench, _ in
            issuer.state.withLock { $0.held = [] }
            var attempts: [(back: String, cookie: String)] = []
            for _ in 0..<20 { attempts.append(try await begin(bench, "192.0.2.9")) }
            let exchanges = await provider.exchanges
            try await withThrowingTaskGroup(of: Int.self) { group in
                for attempt in attempts.prefix(10) {
                    group.addTask { try await finish(bench, attempt, "192.0.2.1") }
                }
                try await eventually("the address has its share") {
                    issuer.state.withLock { $0.held?.count } == Limits.codeExchangesOfAddressMax
                        && exchanges.waitingCount == 10 - Limits.codeExchangesOfAddressMax
                }
                for (number, attempt) in attempts.suffix(10).enumerated() {
                    group.addTask { try await finish(bench, attempt, "198.51.100.\(number)") }
                }
                try await eventually("others have the rest") {
                    issuer.state.withLock { $0.held?.count } == Limits.codeExchangesMax
                        && exchanges.waitingCount == 20 - Limits.codeExchangesMax
                }
                issuer.release()
                // One that waited long on a busy machine is refused instead.
                for try await status in group { #expect([401, 503].contains(status)) }
            }
        }
    }
}
