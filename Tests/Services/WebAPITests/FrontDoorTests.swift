import CloudMessages
import CloudModel
import HTTPClient
import HTTPServer
import JSON
import RecordService
import RecordStore
import TestSupport
import Testing

// Routes are the module's own: all of them have to be counted.
@testable import WebAPI

/// Every request counts to its address, and every byte that leaves, whatever the request asks for (security review 3,
/// finding 10). The tests send as a proxy does, for addresses of their own.
@Suite struct FrontDoorTests {
    /// A request as it is sent.
    struct Visit: Sendable, CustomTestStringConvertible {
        var method: String
        var target: String
        var headers: [(String, String)] = []

        var testDescription: String { "\(method) \(target)" }

        func send(_ http: HTTPClient, _ bench: WebBench, from address: String) async throws -> Answer {
            Answer(
                try await http.send(
                    HTTPClientRequest(
                        method, "http://127.0.0.1:\(bench.port)\(target)",
                        headers: headers + [("X-Forwarded-For", address)],
                        body: method == "POST" || method == "PUT" ? .bytes(Array("{}".utf8)) : .empty)))
        }
    }

    private static let preflight = [
        ("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET"),
    ]

    /// Requests to each route of each mount, with its methods, other ones and preflights, and to no route.
    private static func visits(_ bench: WebBench) -> [Visit] {
        let unknown = String(repeating: "0", count: 64)
        var visits = [Visit(method: "GET", target: "/"), Visit(method: "POST", target: "/nowhere")]
        // The server refuses this one before the router sees it.
        visits.append(Visit(method: "GET", target: "/%zz"))
        visits.append(Visit(method: "GET", target: "/pages/pages.css"))
        for route in CloudAPI([]).router.routes {
            let path = route.path.segments.map { segment -> String in
                switch segment {
                case .text(let text): text
                case .choice(_, let texts): texts[0]
                case .parameter("container"): "\(bench.system.layout.scope.container)"
                case .parameter("environment"): "\(bench.system.layout.scope.environment)"
                case .parameter: "x"
                }
            }
            let target = "/" + path.joined(separator: "/")
            for method in route.methods + ["HEAD", "DELETE", "OPTIONS"] {
                visits.append(Visit(method: method, target: target))
            }
            visits.append(Visit(method: "OPTIONS", target: "\(target)?ckAPIToken=\(unknown)", headers: preflight))
            visits.append(Visit(method: route.methods[0], target: "\(target)?ckAPIToken=\(unknown)"))
        }
        return visits
    }

    /// Runs a test on a bench behind a proxy, with a client for its requests.
    private func run(
        _ rates: RateLimits, assets: (any AssetStore)? = nil,
        _ body: @escaping @Sendable (WebBench, HTTPClient) async throws -> Void
    ) async throws {
        try await WebBench.run(rates: rates, assets: assets, trustedProxies: ["127.0.0.1"]) { bench in
            let http = HTTPClient()
            let result: Result<Void, any Error>
            do { result = .success(try await body(bench, http)) } catch { result = .failure(error) }
            await http.close()
            try result.get()
        }
    }

    /// An address for each of many requests.
    private static func address(_ number: Int) -> String { "10.0.\(number >> 8).\(number & 255)" }

    @Test("a request to any route counts to its address, however it ends")
    func requests() async throws {
        var rates = RateLimits()
        rates.address.requests = 0.001
        try await run(rates) { bench, http in
            for (number, visit) in Self.visits(bench).enumerated() {
                let first = try await visit.send(http, bench, from: Self.address(number))
                #expect(first.status != 429, "\(visit.testDescription) \(first.status)")
                let second = try await visit.send(http, bench, from: Self.address(number))
                #expect(second.status == 429, "\(visit.testDescription) \(second.status)")
            }
        }
    }

    @Test("the bytes of any answer count to its address, and a HEAD has none")
    func bytes() async throws {
        var rates = RateLimits()
        rates.address.bytes = 0.001
        try await run(rates) { bench, http in
            for (number, visit) in Self.visits(bench).enumerated() {
                let first = try await visit.send(http, bench, from: Self.address(number))
                let second = try await visit.send(http, bench, from: Self.address(number))
                let hasBody = !first.body.isEmpty || ["POST", "PUT"].contains(visit.method) && first.status == 200
                #expect((second.status == 429) == hasBody, "\(visit.testDescription) \(first.status) \(second.status)")
            }
        }
    }

    /// With files that the server sends, and with parts that a stream sends.
    @Test("a download counts with its file's bytes, a part with the part's", arguments: [true, false])
    func downloads(areFiles: Bool) async throws {
        var rates = RateLimits()
        // A burst of 100,000 bytes.
        rates.address.bytes = 10_000
        try await run(rates, assets: areFiles ? nil : MemoryAssets()) { bench, http in
            let alice = try await bench.signIn("alice")
            let file = try await AssetEndpointTests.upload([UInt8](repeating: 7, count: 4_000_000), bench, alice)
            let record = try await AssetEndpointTests.save(file, bench, alice)
            let url = try #require(record["fields"]?["file"]?["value"]?["downloadURL"]?.string)
            let target = try #require(url.firstRange(of: "/assets/").map { String(url[$0.lowerBound...]) })
            func get(_ from: String, _ method: String = "GET", range: String? = nil) async throws -> Int {
                let headers = range.map { [("Range", $0)] } ?? []
                return try await Visit(method: method, target: target, headers: headers).send(http, bench, from: from)
                    .status
            }
            #expect(try await get("192.0.2.1") == 200)
            #expect(try await get("192.0.2.1") == 429)
            // Another address is not concerned, and neither heads nor small parts cost much.
            for _ in 0..<20 { #expect(try await get("192.0.2.2", "HEAD") == 200) }
            for _ in 0..<20 { #expect(try await get("192.0.2.2", range: "bytes=0-99") == 206) }
            #expect(try await get("192.0.2.2", range: "bytes=0-3000000") == 206)
            #expect(try await get("192.0.2.2", range: "bytes=0-99") == 429)
        }
    }

    @Test("the bytes of a stream count to its user while it is open")
    func streams() async throws {
        var rates = RateLimits()
        // A burst of 100,000 bytes.
        rates.user.bytes = 10_000
        try await run(rates) { bench, _ in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            let stream = try await bench.stream([("deviceID", "phone")], user: alice)
            #expect(try await bench.send("GET", bench.device("devices/list"), user: alice).status == 200)
            let operations = (0..<200).map { number -> JSONValue in
                ["operationType": "create", "record": ["recordName": .string("r\(number)"), "recordType": "T"]]
            }
            let saved = try await bench.send(
                "POST", bench.database("records/modify"), ["operations": .array(operations)], user: bob)
            #expect(saved.status == 200)
            var events = EventReader(stream)
            for _ in operations { _ = try #require(try await events.next()) }
            expect(try await bench.send("GET", bench.device("devices/list"), user: alice), .throttled)
            stream.cancel()
        }
    }

    @Test("an address that is refused too often gets no answer without good credentials")
    func refusals() async throws {
        var rates = RateLimits()
        // One, and the next after many minutes.
        rates.refusedPerSecond = 0.001
        try await run(rates) { bench, http in
            let alice = try await bench.signIn("alice")
            let known = Visit(
                method: "GET",
                target: "\(bench.database("users/caller"))?ckAPIToken=\(bench.apiToken)&ckWebAuthToken="
                    + WebBench.escaped(alice.token))
            let signIn = Visit(method: "POST", target: "\(bench.signInPath)?ckAPIToken=\(bench.apiToken)")
            let unknown = String(repeating: "0", count: 64)
            let refused = [
                Visit(method: "GET", target: "/nowhere"), Visit(method: "DELETE", target: "/openapi.yaml"),
                Visit(method: "GET", target: "/%zz"), Visit(method: "GET", target: bench.database("users/caller")),
                Visit(
                    method: "OPTIONS", target: "\(bench.database("users/caller"))?ckAPIToken=\(unknown)",
                    headers: Self.preflight),
                Visit(method: "GET", target: "/aps?tok=x"),
                Visit(method: "GET", target: "/assets/1/\(bench.scopePath)/download/x"),
                Visit(method: "PUT", target: "/assets/1/\(bench.scopePath)/upload/x"),
                Visit(method: "GET", target: "/auth/1/\(bench.scopePath)/callback?state=x&code=y"),
                Visit(method: "GET", target: "/share/1/iCloud.other/development/x"), signIn,
            ]
            for (number, visit) in refused.enumerated() {
                let from = Self.address(number)
                #expect(try await visit.send(http, bench, from: from).status != 429, "\(visit.testDescription)")
                #expect(try await visit.send(http, bench, from: from).status == 429, "\(visit.testDescription)")
                for other in ["/openapi.yaml", "/pages/pages.css", "/nowhere"] {
                    let answer = try await Visit(method: "GET", target: other).send(http, bench, from: from)
                    #expect(answer.status == 429, "\(visit.testDescription): \(other)")
                }
                #expect(try await signIn.send(http, bench, from: from).status == 429)
                #expect(try await known.send(http, bench, from: from).status == 200, "\(visit.testDescription)")
            }
        }
    }

    @Test("requests from this machine have no rate but that of refusals")
    func loopback() async throws {
        var rates = RateLimits()
        rates.address = RateLimits.Rates(requests: 0.001, bytes: 0.001, cost: 0.001)
        rates.refusedPerSecond = 0.001
        try await WebBench.run(rates: rates) { bench in
            for _ in 0..<10 {
                let document = try await bench.raw("GET", "/openapi.yaml")
                #expect(document.status == 200)
            }
            // Memory has the token from here on, so that requests with it are let in.
            _ = try await bench.send("POST", bench.database("records/lookup"), body: #"{"records": []}"#)
            for status in [404, 429, 429] {
                let answer = try await bench.raw("GET", "/pages/other")
                #expect(answer.status == status)
            }
        }
    }
}
