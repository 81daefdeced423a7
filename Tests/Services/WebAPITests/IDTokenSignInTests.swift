import CloudModel
import Cryptography
import HTTPClient
import Identity
import JSON
import RecordService
import Synchronization
import TestSupport
import Testing
import TextForms

/// Sign-in by ID tokens of an issuer (docs/http-api.md; libraries.md).
@Suite struct IDTokenSignInTests {
    /// A service that trusts an issuer of its own, and a clock that the test moves.
    enum IssuerBench {
        static func run(_ body: @escaping @Sendable (TestIssuer, WebBench, ManualClock) async throws -> Void)
            async throws
        {
            let issuer = try await TestIssuer.start()
            issuer.addKey("one")
            let clock = ManualClock()
            let http = HTTPClient()
            let provider = IdentityProvider(
                issuer: issuer.url, audiences: ["fanfare", "fanfare-web"], http: http, clock: { clock.now })
            try await WebBench.run(identityProvider: provider) { try await body(issuer, $0, clock) }
            await http.close()
            await issuer.stop()
        }
    }

    final class ManualClock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func move(by duration: Duration) { time.withLock { $0 += duration } }
    }

    static func payload(_ issuer: TestIssuer, _ bench: WebBench) -> JSONObject {
        let now = bench.system.service.now().milliseconds / 1000
        return [
            "iss": .string(issuer.url), "aud": "fanfare", "sub": "u1", "iat": .integer(now), "exp": .integer(now + 300),
            "email": "Ada@example.com", "email_verified": true, "given_name": "Ada", "family_name": "L.",
        ]
    }

    static let header: JSONValue = ["alg": "ES256", "kid": "one", "typ": "JWT"]

    static func signIn(_ token: String, _ bench: WebBench) async throws -> Answer {
        try await bench.send("POST", bench.signInPath, ["idToken": .string(token)], user: nil)
    }

    @Test func aTokenSignsItsUserIn() async throws {
        try await IssuerBench.run { issuer, bench, _ in
            let token = try issuer.token(Self.header, .object(Self.payload(issuer, bench)), key: "one")
            let answer = try await Self.signIn(token, bench)
            #expect(answer.status == 200, "\(answer.json)")
            let name = try #require(answer.json["userRecordName"]?.string)
            #expect(try await Self.signIn(token, bench).json["userRecordName"]?.string == name)
            #expect(issuer.state.withLock { $0.questions } == 2, "keys are kept")
            let user = WebBench.SignedIn(token: try #require(answer.json["ckWebAuthToken"]?.string), name: name)
            let caller = try await bench.send("GET", bench.database("users/caller"), user: user)
            #expect(caller.json["emailAddress"] == "ada@example.com")
            #expect(caller.json["nameComponents"] == ["givenName": "Ada", "familyName": "L."])
            var other = Self.payload(issuer, bench)
            other["sub"] = "u2"
            other["email_verified"] = false
            let second = try await Self.signIn(try issuer.token(Self.header, .object(other), key: "one"), bench)
            #expect(second.json["userRecordName"]?.string != name && second.status == 200)
            let unverified = WebBench.SignedIn(token: try #require(second.json["ckWebAuthToken"]?.string), name: "")
            let profile = try await bench.send("GET", bench.database("users/caller"), user: unverified)
            #expect(profile.json["emailAddress"] == nil)
        }
    }

    @Test("an address is known where the issuer says so, also by a string, as Sign in with Apple does")
    func verifiedAddresses() async throws {
        try await IssuerBench.run { issuer, bench, _ in
            let values: [(JSONValue, Bool)] = [
                ("true", true), (true, true), ("false", false), ("1", false), (1, false),
            ]
            for (number, (value, isKnown)) in values.enumerated() {
                var payload = Self.payload(issuer, bench)
                payload["sub"] = .string("verified-\(number)")
                payload["email"] = .string("\(number)@example.com")
                payload["email_verified"] = value
                let answer = try await Self.signIn(try issuer.token(Self.header, .object(payload), key: "one"), bench)
                let token = try #require(answer.json["ckWebAuthToken"]?.string, "\(answer.json)")
                let caller = try await bench.send(
                    "GET", bench.database("users/caller"), user: WebBench.SignedIn(token: token, name: ""))
                #expect((caller.json["emailAddress"] != nil) == isKnown, "\(value)")
            }
        }
    }

    @Test func claimsThatAreWrongAreRefused() async throws {
        try await IssuerBench.run { issuer, bench, _ in
            let now = bench.system.service.now().milliseconds / 1000
            let wrong: [(String, JSONValue?)] = [
                ("iss", "https://other.example.com"), ("iss", nil), ("aud", "other"), ("aud", nil), ("aud", []),
                ("aud", ["fanfare", "other"]), ("azp", "other"), ("exp", .integer(now - 61)), ("exp", nil),
                ("exp", "9999999999"), ("nbf", .integer(now + 120)), ("nbf", "0"), ("iat", .integer(now + 120)),
                ("iat", nil), ("sub", nil), ("sub", ""), ("sub", 5),
            ]
            for (claim, value) in wrong {
                var payload = Self.payload(issuer, bench)
                payload[claim] = value
                let answer = try await Self.signIn(try issuer.token(Self.header, .object(payload), key: "one"), bench)
                expect(answer, .authenticationFailed, "\(claim) \(String(describing: value)): \(answer.json)")
            }
            // Seconds from the moment at which each is sent: the ones before may have taken a while.
            let good: [(String, @Sendable (Int64) -> JSONValue?)] = [
                ("aud", { _ in ["fanfare"] }), ("azp", { _ in "fanfare" }), ("aud", { _ in "fanfare-web" }),
                ("azp", { _ in "fanfare-web" }), ("exp", { .integer($0 - 30) }),
                ("nbf", { .integer($0 + 30) }), ("email", { _ in nil }),
            ]
            for (claim, value) in good {
                var payload = Self.payload(issuer, bench)
                payload[claim] = value(bench.system.service.now().milliseconds / 1000)
                let answer = try await Self.signIn(try issuer.token(Self.header, .object(payload), key: "one"), bench)
                #expect(answer.status == 200, "\(claim)")
            }
        }
    }

    @Test func signaturesThatAreWrongAreRefused() async throws {
        try await IssuerBench.run { issuer, bench, _ in
            let payload = JSONValue.object(Self.payload(issuer, bench))
            issuer.addKey("encryption")
            let (encryption, one) = issuer.state.withLock { ($0.keys["encryption"]!, $0.keys["one"]!) }
            let secret = Base64.url.encode([UInt8](repeating: 1, count: 32))
            issuer.state.withLock { state in
                state.keys["encryption"] = nil
                var key = TestIssuer.json(encryption, id: "encryption").object!
                key["use"] = "enc"
                state.others = [
                    .object(key), ["kty": "oct", "kid": "symmetric", "k": .string(secret)],
                    ["kty": "EC", "kid": "broken"], 5,
                ]
            }
            let good = try issuer.token(Self.header, payload, key: "one")
            let parts = good.split(separator: ".").map(String.init)
            func with(_ header: JSONValue) throws -> String { try issuer.token(header, payload, key: "one") }
            let symmetric = Base64.url.encode(Array(#"{"alg":"HS256","kid":"symmetric"}"#.utf8)) + "." + parts[1]
            let code = HMACSHA256(key: [UInt8](repeating: 1, count: 32)).code(for: Array(symmetric.utf8))
            let none = Base64.url.encode(Array(#"{"alg":"none","kid":"one"}"#.utf8)) + "." + parts[1]
            issuer.state.withLock { $0.keys["encryption"] = encryption }
            let encrypted = try issuer.token(["alg": "ES256", "kid": "encryption"], payload, key: "encryption")
            issuer.state.withLock { $0.keys["encryption"] = nil }
            var tokens = [
                "", "x", "a.b.c", parts[0] + "." + parts[1], good + ".", good + "." + parts[2], none + ".",
                none + ".AA",
                symmetric + "." + Base64.url.encode(code), encrypted,
                parts[0] + "." + Base64.url.encode(Array("{}".utf8)) + "." + parts[2],
                parts[0] + "." + parts[1] + "." + Base64.url.encode([UInt8](repeating: 0, count: 64)),
                try with(["alg": "RS256", "kid": "one"]), try with(["alg": "ES384", "kid": "one"]),
                try with(["alg": "es256", "kid": "one"]), try with(["alg": "ES256"]),
                try with(["alg": "ES256", "kid": "one", "crit": ["exp"]]),
                try with(["alg": "ES256", "kid": "one", "crit": nil]),
                try with(["alg": "ES256", "kid": "unknown"]),
                try with(["alg": "ES256", "kid": "unknown", "jwk": TestIssuer.json(one, id: "unknown")]),
                good + String(repeating: "A", count: 16 << 10),
            ]
            tokens.append(String(good.dropLast(4)))
            for token in tokens {
                let answer = try await Self.signIn(token, bench)
                expect(answer, .authenticationFailed, "\(token.prefix(300)): \(answer.json)")
            }
            #expect(try await Self.signIn(good, bench).status == 200)
        }
    }

    @Test func newKeysAreFetchedNowAndThen() async throws {
        try await IssuerBench.run { issuer, bench, clock in
            let payload = JSONValue.object(Self.payload(issuer, bench))
            let first = try issuer.token(Self.header, payload, key: "one")
            #expect(try await Self.signIn(first, bench).status == 200)
            issuer.addKey("two")
            let second = try issuer.token(["alg": "ES256", "kid": "two"], payload, key: "two")
            // The issuer was asked a moment ago: tokens with unknown keys do not make the service ask again and again.
            for _ in 0..<5 { expect(try await Self.signIn(second, bench), .authenticationFailed) }
            #expect(issuer.state.withLock { $0.questions } == 2)
            clock.move(by: .seconds(31))
            #expect(try await Self.signIn(second, bench).status == 200)
            #expect(issuer.state.withLock { $0.questions } == 4)
            // A key that was taken back is gone with the next look, at the latest when the keys are old.
            issuer.state.withLock { $0.keys["one"] = nil }
            #expect(try await Self.signIn(first, bench).status == 200)
            clock.move(by: .seconds(3601))
            expect(try await Self.signIn(first, bench), .authenticationFailed)
            // Old keys serve while the issuer cannot be reached.
            issuer.state.withLock { $0.isReachable = false }
            clock.move(by: .seconds(3601))
            #expect(try await Self.signIn(second, bench).status == 200)
        }
    }

    @Test func anIssuerThatCannotBeReachedIsTemporary() async throws {
        try await IssuerBench.run { issuer, bench, _ in
            let token = try issuer.token(Self.header, .object(Self.payload(issuer, bench)), key: "one")
            issuer.state.withLock { $0.isReachable = false }
            let answer = try await Self.signIn(token, bench)
            #expect(answer.status == 503 && answer.code == "TRY_AGAIN_LATER")
            #expect(answer.json["retryAfter"]?.integer == 30)
        }
    }

    @Test func withoutAnIssuerNobodySignsInByToken() async throws {
        try await WebBench.run { bench in
            expect(try await Self.signIn("e30.e30.AAAA", bench), .accessDenied)
        }
    }
}
