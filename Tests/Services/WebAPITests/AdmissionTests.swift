import CloudModel
import HTTPClient
import HTTPServer
import Identity
import JSON
import RecordService
import TestSupport
import Testing

@testable import WebAPI

/// Credentials are looked at before a body is taken, wherever they stand (review, findings 4 and 19).
@Suite struct AdmissionTests {
    /// The answer to a request with this head, before its body.
    private func admit(
        _ bench: WebBench, _ path: String, query: String = "", headers: [(String, String)] = [], bytes: Int? = 1 << 20,
        method: String = "POST"
    ) async throws -> HTTPAdmission {
        let scope = APIScope(
            records: bench.system.service, identity: bench.system.identity, feeds: bench.feeds,
            courierTokens: bench.courierTokens,
            webAuthTokens: WebAuthTokens(bench.keys, lifetime: .seconds(3600)), queryMarkers: QueryMarkers(bench.keys))
        try await scope.credentials.refresh()
        let head = try #require(
            HTTPRequestHead(
                method: method, target: "\(path)?\(query)", headers: headers, bodyBytesAnnounced: bytes))
        return CloudAPI([scope]).admit(head)
    }

    private func status(_ admission: HTTPAdmission) -> Int? {
        if case .refuse(let response) = admission { response.status } else { nil }
    }

    /// An address of an upload is good once: the second body is not even taken.
    @Test func aUsedAddressOfAnUploadIsRefusedBeforeTheBody() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let url = try await AssetEndpointTests.address(bench, alice)
            let path = try #require(url.firstRange(of: "/assets/").map { String(url[$0.lowerBound...]) })
            guard case .file = try await admit(bench, path) else {
                Issue.record("a fresh address is refused")
                return
            }
            #expect(try await bench.raw("POST", url, bytes: [1, 2]).status == 200)
            #expect(status(try await admit(bench, path)) == 400)
            #expect(try await bench.raw("POST", url, bytes: [1, 2]).status == 400)
        }
    }

    @Test(arguments: Endpoint.all)
    func requestsWithoutCredentialsAreRefusedBeforeTheBody(endpoint: Endpoint) async throws {
        try await WebBench.run { bench in
            let path = endpoint.address(bench)
            let unknown = String(repeating: "0", count: 64)
            let forged = "ckAPIToken=\(bench.apiToken)&ckWebAuthToken=x"
            for (query, expected) in [("", 421), ("ckAPIToken=", 421), ("ckAPIToken=x", 401), (forged, 401)] {
                for bytes in [0, 1, 64 << 10, 32 << 20, nil] {
                    let admission = try await admit(bench, path, query: query, bytes: bytes, method: endpoint.method)
                    #expect(status(admission) == expected, "\(query) \(bytes ?? -1)")
                }
            }
            // A token that nobody knows may have been made a moment ago: that is known once the body is there.
            for (bytes, expected) in [(1 << 20, 401), (65 << 10, 401), (64 << 10, nil)] {
                let admission = try await admit(
                    bench, path, query: "ckAPIToken=\(unknown)", bytes: bytes, method: endpoint.method)
                #expect(status(admission) == expected, "\(bytes)")
            }
            let unannounced = try await admit(
                bench, path, query: "ckAPIToken=\(unknown)", bytes: nil, method: endpoint.method)
            guard case .body(let most, _, let yields, _, _) = unannounced else {
                Issue.record("it is refused")
                return
            }
            #expect(yields)
            #expect(most == Limits.unknownBodyBytesMax)
            if endpoint.needsUser {
                let query = "ckAPIToken=\(bench.apiToken)"
                #expect(status(try await admit(bench, path, query: query, method: endpoint.method)) == 421)
            }
        }
    }

    @Test func aSignedRequestIsCheckedByItsHead() async throws {
        try await WebBench.run { bench in
            let (id, _) = try await bench.system.identity.makeServerKey(note: "test")
            func headers(_ id: String, _ date: String) -> [(String, String)] {
                [("KeyID", id), ("ISO8601Date", date), ("SignatureV1", "AAAA")].map {
                    ("X-Apple-CloudKit-Request-\($0.0)", $0.1)
                }
            }
            let path = bench.database("records/modify")
            let now = "2026-01-31T12:00:00Z"
            for (key, date, expected) in [
                (id, "2001-01-31T12:00:00Z", 401), (id, "x", 401), (String(repeating: "0", count: 64), now, 401),
            ] {
                #expect(status(try await admit(bench, path, headers: headers(key, date))) == expected)
            }
            #expect(status(try await admit(bench, path, headers: [headers(id, now)[0]])) == 401)
        }
    }

    @Test func credentialsMayStandInHeaders() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let token = ("X-Apple-CloudKit-API-Token", bench.apiToken)
            let bearer = ("Authorization", "Bearer \(alice.token)")
            let own = ("X-Apple-CloudKit-Web-Auth-Token", alice.token)
            func list(_ headers: [(String, String)], _ query: [(String, String)] = []) async throws -> Answer {
                try await bench.send(
                    "GET", bench.device("devices/list"), query: query, apiToken: .some(nil), headers: headers)
            }
            for headers in [
                [token, bearer], [token, own], [token, own, bearer],
                [token, ("authorization", "bearer \(alice.token)")],
            ] {
                let answer = try await list(headers)
                #expect(
                    answer.status == 200 && answer.headers["X-Apple-CloudKit-Web-Auth-Token"] != nil, "\(answer.json)")
            }
            // The same in two places is no contradiction, and another scheme is for somebody else.
            let items = [("ckAPIToken", bench.apiToken), ("ckWebAuthToken", alice.token)]
            #expect(try await list([token, bearer], items).status == 200)
            #expect(try await list([("Authorization", "Basic eA==")], items).status == 200)
            let bob = try await bench.signIn("bob")
            let differing: [([(String, String)], [(String, String)])] = [
                ([bearer], [items[0], ("ckWebAuthToken", bob.token)]), ([token], [("ckAPIToken", "x"), items[1]]),
                ([token, bearer, ("X-Apple-CloudKit-Web-Auth-Token", bob.token)], []),
                ([token, bearer, ("Authorization", "Bearer \(bob.token)")], []),
            ]
            for (headers, query) in differing { expect(try await list(headers, query), .badRequest) }
            expect(try await list([token, ("Authorization", "Bearer x")]), .authenticationFailed)
            expect(try await list([token]), .authenticationRequired)
            // A page may send them, too.
            let preflight = try await bench.send(
                "OPTIONS", bench.device("devices/list"), apiToken: .some(nil),
                headers: [
                    ("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET"),
                    ("Access-Control-Request-Headers", "authorization,x-apple-cloudkit-api-token"),
                ])
            #expect(preflight.headers["Access-Control-Allow-Headers"] == "authorization,x-apple-cloudkit-api-token")
            let stream = try await bench.stream([("deviceID", "phone")], user: nil, headers: [bearer])
            #expect(stream.status == 200)
            stream.cancel()
        }
    }

    @Test func throttlingHasCloudKitsForm() async throws {
        var rates = RateLimits()
        rates.user.requests = 0.3
        try await WebBench.run(rates: rates) { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            func look(_ user: WebBench.SignedIn) async throws -> Answer {
                try await bench.send("POST", bench.database("records/lookup"), body: #"{"records": []}"#, user: user)
            }
            var passed = 0
            var last = try await look(alice)
            while last.status == 200, passed < 100 {
                passed += 1
                last = try await look(alice)
            }
            #expect(passed >= 3)
            expect(last, .throttled)
            #expect(last.status == 429)
            let seconds = try #require(last.json["retryAfter"]?.integer)
            #expect(seconds >= 1 && last.headers["Retry-After"] == "\(seconds)")
            // Another user is not concerned.
            #expect(try await look(bob).status == 200)
        }
    }

    /// Work is not free because it comes in few requests.
    @Test func costsAreCounted() async throws {
        var rates = RateLimits()
        rates.user.cost = 0.4
        try await WebBench.run(rates: rates) { bench in
            let alice = try await bench.signIn("alice")
            func query() async throws -> Answer {
                try await bench.send(
                    "POST", bench.database("records/query"), body: #"{"query": {"recordType": "T"}}"#, user: alice)
            }
            #expect(try await query().code != "THROTTLED")
            expect(try await query(), .throttled)
        }
    }
}
