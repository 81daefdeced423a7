import CloudMessages
import CloudModel
import Cryptography
import HTTPClient
import Identity
import JSON
import RecordService
import TestSupport
import Testing

/// What holds for every endpoint: paths, methods, credentials, bodies (docs/cloudkit.md#transport; docs/http-api.md).
@Suite struct TransportTests {
    @Test(arguments: Endpoint.answering)
    func aGoodRequestIsAnswered(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let body = try endpoint.body.map { String(decoding: try $0.serialized(), as: UTF8.self) }
            // Clients send text/plain to avoid a preflight; unknown query items and members are ignored.
            let answer = try await bench.send(
                endpoint.method, endpoint.address(bench), body: body, user: alice,
                query: endpoint.query + [("ckjsVersion", "2.6.4")], headers: [("Content-Type", "text/plain")])
            #expect(answer.status == 200, "\(answer.json)")
            #expect(answer.headers["Content-Type"]?.hasPrefix("application/json") == true)
            let uuid = try #require(answer.headers["X-Apple-Request-UUID"])
            #expect(uuid.utf8.count == 36)
            guard endpoint.family != .auth else { return }
            // docs/choices.md, 16: each answer hands out a fresh token, earlier ones stay good.
            let fresh = try #require(answer.headers["X-Apple-CloudKit-Web-Auth-Token"])
            #expect(fresh != alice.token)
            for token in [fresh, alice.token] {
                let next = WebBench.SignedIn(token: token, name: alice.name)
                #expect(try await bench.send("GET", bench.device("devices/list"), user: next).status == 200)
            }
        }
    }

    @Test func pathsThatAreNoneAreNotFound() async throws {
        try await WebBench.run { bench in
            let scope = bench.scopePath
            let paths = [
                "/", "/database", "/database/1", "/database/1/\(scope)", "/database/1/\(scope)/public",
                "/database/1/\(scope)/public/records", "/database/1/\(scope)/public/records/",
                "/database/1/\(scope)/public/records/modify/", "/database/1/\(scope)/public/records/find",
                "/database/2/\(scope)/public/records/modify", "/database/1/\(scope)/Public/records/modify",
                "/database/1/\(scope)/all/records/modify", "/database/1/\(scope)/public/devices/list",
                "/device/1/\(scope)/records/modify", "/device/1/\(scope)/public/devices/list",
                "/device/1/\(scope)/devices",
                "/auth/1/\(scope)/logout", "/auth/1/\(scope)", "/device/1/\(scope)/signin",
                "//database/1/\(scope)/public/records/modify", "/database/1/\(scope)/public/records%2Fmodify",
                "/metrics", "/health/live", "/favicon.ico", "/%2e%2e/etc/passwd",
            ]
            for path in paths {
                for method in ["GET", "POST"] {
                    let answer = try await bench.send(method, path, body: method == "POST" ? "{}" : nil)
                    expect(answer, .notFound, "\(method) \(path)")
                    #expect(answer.json["reason"]?.string?.contains("could not find handler") == true)
                }
            }
        }
    }

    @Test func containersAndEnvironmentsHaveToBeServed() async throws {
        try await WebBench.run { bench in
            let container = bench.system.layout.scope.container
            for (scope, code) in [
                ("\(container)/production", CloudErrorCode.notFound), ("iCloud.other/development", .notFound),
                ("\(container)/PRODUCTION", .notFound), ("\(container)/Developments", .badRequest),
                ("\(container)/", .badRequest),
                ("a_b/development", .badRequest),
                ("/development", .badRequest), ("\(String(repeating: "c", count: 121))/development", .badRequest),
            ] {
                for path in ["/database/1/\(scope)/public/records/lookup", "/device/1/\(scope)/badge/modify"] {
                    expect(try await bench.send("POST", path, body: "{}"), code, "\(path)")
                }
            }
        }
    }

    @Test(arguments: Endpoint.all)
    func otherMethodsAreRefused(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"]
            where !endpoint.methods.contains(method) {
                let answer = try await bench.send(
                    method, endpoint.address(bench), body: method == "GET" ? nil : "{}")
                #expect(answer.status == 405, "\(method)")
                let allowed = endpoint.methods.flatMap { $0 == "GET" ? [$0, "HEAD"] : [$0] }
                #expect(answer.headers["Allow"] == allowed.joined(separator: ", "))
                expect(answer, .badRequest, "\(method)")
            }
        }
    }

    /// docs/cloudkit.md#authentication, with the codes of docs/http-api.md.
    @Test(arguments: Endpoint.all)
    func credentialsAreChecked(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let body = try endpoint.body.map { String(decoding: try $0.serialized(), as: UTF8.self) }
            func send(_ user: WebBench.SignedIn?, apiToken: String?? = .none) async throws -> Answer {
                try await bench.send(
                    endpoint.method, endpoint.address(bench), body: body, user: user, query: endpoint.query,
                    apiToken: apiToken)
            }
            func with(_ token: String) -> WebBench.SignedIn { WebBench.SignedIn(token: token, name: alice.name) }
            expect(try await send(alice, apiToken: .some(nil)), .authenticationRequired)
            expect(try await send(alice, apiToken: ""), .authenticationRequired)
            for token in [
                "x", String(bench.apiToken.dropLast()), bench.apiToken + "0", String(repeating: "0", count: 64),
            ] {
                expect(try await send(alice, apiToken: token), .authenticationFailed, "\(token)")
            }
            if endpoint.needsUser { expect(try await send(nil), .authenticationRequired) }
            let scope = bench.system.layout.scope
            let user = UserRecordName(trusted: alice.name)
            let now = bench.system.service.now()
            var production = scope
            production.environment = .production
            let forged = WebAuthTokens(KeyRing.generate(), lifetime: .seconds(60)).make(for: user, in: scope, at: now)
            let tokens = WebAuthTokens(bench.keys, lifetime: .seconds(60))
            let ended = tokens.make(for: user, in: scope, at: Timestamp(milliseconds: now.milliseconds - 61_000))
            let foreign = tokens.make(for: user, in: production, at: now)
            for token in [forged.token, ended.token, foreign.token, "x", String(alice.token.dropLast()), "ä", "a b+c%"]
            {
                let answer = try await send(with(token))
                expect(answer, .authenticationFailed, "\(token)")
                #expect(answer.json["reason"]?.string?.contains("ckWebAuthToken") == true)
            }
        }
    }

    /// Bodies that are no JSON object, at every endpoint that takes one.
    @Test(arguments: Endpoint.posts.filter { $0.path != "signout" })
    func malformedBodiesAreBadRequests(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let deep = String(repeating: "[", count: 100_000)
            let bodies: [[UInt8]] =
                [
                    "", " ", "{", "}", "[]", "null", "true", "5", "\"x\"", "{\"a\":1,}", "{'a':1}", "{\"a\":1} x",
                    "{\"a\":1}{\"b\":2}", "{\"operations\":[],\"operations\":[]}", "{\"a\":01}", "{\"a\":1e999}",
                    "{\"a\":NaN}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\u{1}\"}", "{\"a\":9223372036854775808.5.5}",
                    "// x\n{}",
                    deep, "{\"a\":" + deep,
                ].map { Array($0.utf8) } + [
                    [0xff, 0xfe], [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], [0xef, 0xbb, 0xbf, 0x7b, 0x7d], [0],
                    [0x7b, 0x7d, 0],
                ]
            for body in bodies {
                let text = String(decoding: body.prefix(60), as: UTF8.self)
                expect(try await bench.send(endpoint.address(bench), bytes: body, user: alice), .badRequest, "\(text)")
            }
        }
    }

    @Test func aBodyOverTheLimitIsTooLarge() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for endpoint in Endpoint.posts {
                let body = Array(repeating: UInt8(ascii: " "), count: WebBench.bodyBytesMax + 1)
                expect(try await bench.send(endpoint.address(bench), bytes: body, user: alice), .quotaExceeded)
            }
            var body = Array(#"{"records": []"#.utf8)
            body += Array(repeating: UInt8(ascii: " "), count: WebBench.bodyBytesMax - body.count - 1)
            body.append(UInt8(ascii: "}"))
            #expect(try await bench.send(bench.database("records/lookup"), bytes: body).status == 200)
        }
    }

    /// Random variants of good requests: the answer is a 200 or an error dictionary, never a fault of the service.
    @Test(arguments: 1...8)
    func nothingMakesTheServiceFail(seed: UInt64) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            var random = JSONMutator(random: SeededGenerator(seed: seed))
            for _ in 0..<150 {
                let endpoint = Endpoint.posts.randomElement(using: &random.random)!
                guard endpoint.path != "devices/unregister" else { continue }
                let body = random.mutated(endpoint.body!)
                let answer = try await bench.send("POST", endpoint.address(bench), body, user: alice)
                let text = String(decoding: try body.serialized(), as: UTF8.self)
                #expect(
                    answer.status == 200 || answer.isProperError,
                    "seed \(seed): \(endpoint.path) \(text) gives \(answer.status) \(answer.json)")
            }
        }
    }
}
