import CloudMessages
import CloudModel
import HTTPClient
import JSON
import RecordService
import RecordStore
import TestSupport
import Testing

@testable import Console
@testable import WebAPI

/// The rights to each route of operators, from the table of routes itself.
@Suite struct OperatorRightsTests {
    /// A way in which a request is no operator's.
    private struct Stranger: Sendable {
        var name: String
        var headers: [(String, String)]
        var status: Int
        var code: String
    }

    private static func strangers(_ bench: ConsoleBench) async throws -> [Stranger] {
        let signIn = try await bench.send(
            "POST", "/auth/1/\(bench.scopePath)/signin?ckAPIToken=\(bench.apiToken)", ["user": "alice"])
        let user = try #require(signIn.json["ckWebAuthToken"]?.string)
        let ended = try await bench.session(.operator)
        let end = try await bench.send("POST", "/operator/1/sessions/end", [:], headers: bench.headers(ended))
        #expect(end.status == 200)
        let good = bench.headers(try await bench.session(.operator))
        let header = ("X-Fanfare-Console", "1")
        return [
            Stranger(name: "nobody", headers: [header], status: 421, code: "AUTHENTICATION_REQUIRED"),
            Stranger(
                name: "user", headers: bench.headers(user), status: 401, code: "AUTHENTICATION_FAILED"),
            Stranger(name: "ended", headers: bench.headers(ended), status: 401, code: "AUTHENTICATION_FAILED"),
            Stranger(
                name: "without the header", headers: good.filter { $0.0 != header.0 }, status: 403,
                code: "ACCESS_DENIED"),
            Stranger(
                name: "foreign origin", headers: good + [("Origin", "https://evil.example")], status: 403,
                code: "ACCESS_DENIED"),
            Stranger(
                name: "foreign host", headers: good + [("Host", "evil.example")], status: 403, code: "ACCESS_DENIED"),
            Stranger(name: "no origin", headers: good + [("Origin", "null")], status: 403, code: "ACCESS_DENIED"),
            Stranger(
                name: "cross-site", headers: good + [("Sec-Fetch-Site", "cross-site")], status: 403,
                code: "ACCESS_DENIED"),
            Stranger(
                name: "same-site", headers: good + [("Sec-Fetch-Site", "same-site")], status: 403,
                code: "ACCESS_DENIED"),
            // A frame or a link sends its site as none or same-origin, and no header.
            Stranger(
                name: "frame", headers: [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "iframe")], status: 403,
                code: "ACCESS_DENIED"),
        ]
    }

    /// All routes of the mount, with the path of the bench's container.
    private static func paths(_ bench: ConsoleBench) -> [String] {
        bench.operators.routes.map(\.path.description).filter { $0 != "/operator/1/sessions" }.map {
            $0.replacing("{container}/{environment}", with: bench.scopePath)
        }
    }

    @Test("nobody but an operator's session gets anything from any route, and nothing is changed or on record")
    func strangers() async throws {
        try await ConsoleBench.run { bench in
            let strangers = try await Self.strangers(bench)
            let before = try await bench.state()
            for path in Self.paths(bench) {
                for stranger in strangers {
                    let answer = try await bench.send("POST", path, [:], headers: stranger.headers)
                    #expect(
                        answer.status == stranger.status && answer.code == stranger.code,
                        "\(stranger.name) at \(path): \(answer.status) \(answer.text)")
                    #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
                }
                let preflight = try await bench.send(
                    "OPTIONS", path,
                    headers: [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")])
                #expect(preflight.status == 405 && preflight.headers["Access-Control-Allow-Origin"] == nil)
                let read = try await bench.send("GET", path, headers: bench.headers(bench.token))
                #expect(read.status == 405)
            }
            #expect(try await bench.state() == before)
        }
    }

    @Test("a viewer reads, and each attempt to change something is refused and on record")
    func viewers() async throws {
        try await ConsoleBench.run { bench in
            try await Self.expectReadsOnly(bench, role: .viewer)
        }
    }

    @Test("on a read-only listener an operator reads alone, and attempts are on record")
    func readOnly() async throws {
        try await ConsoleBench.run(isReadOnly: true) { bench in
            try await Self.expectReadsOnly(bench, role: .operator)
        }
    }

    private static func expectReadsOnly(_ bench: ConsoleBench, role: Operator.Role) async throws {
        let headers = bench.headers(try await bench.session(role))
        for endpoint in OperatorMount.endpoints {
            let before = try await bench.state()
            let answer = try await bench.send(
                "POST", "/operator/1/\(bench.scopePath)/\(endpoint.name)", ["user": "nobody"], headers: headers)
            let actions = try await bench.actions()
            guard !endpoint.effect.isReading else {
                #expect(answer.code != "ACCESS_DENIED", "\(endpoint.name)")
                continue
            }
            #expect(answer.status == 403 && answer.code == "ACCESS_DENIED", "\(endpoint.name): \(answer.text)")
            let last = try #require(actions.first)
            #expect(last.act == endpoint.name && last.outcome == "ACCESS_DENIED" && last.role == role.rawValue)
            #expect(last.request == answer.headers["X-Apple-Request-UUID"])
            #expect(try await bench.state() == before, "\(endpoint.name) changes nothing")
        }
    }

    @Test("a right in other containers is no right here, and one here is none in what concerns the whole service")
    func places() async throws {
        try await ConsoleBench.run { bench in
            let scope = bench.system.layout.scope
            let others = [
                "iCloud.elsewhere", "\(scope.container)/production", "\(scope.container).x",
                "\(scope.container)x/development",
            ]
            for place in others {
                try await Self.expectDenied(bench, place, OperatorMount.endpoints)
            }
            for place in ["\(scope.container)", bench.scopePath] {
                let ofService = OperatorMount.endpoints.filter(\.isOfService)
                #expect(Set(ofService.map(\.name)).isSuperset(of: ["settings", "log", "series", "secrets/rotate"]))
                try await Self.expectDenied(bench, place, ofService)
                let headers = bench.headers(try await bench.session(.operator, in: place))
                for endpoint in OperatorMount.endpoints where !endpoint.isOfService {
                    let path = "/operator/1/\(bench.scopePath)/\(endpoint.name)"
                    let answer = try await bench.send("POST", path, ["user": "nobody"], headers: headers)
                    #expect(answer.code != "ACCESS_DENIED", "\(endpoint.name)")
                }
            }
        }
    }

    /// Expects that an operator of a place is refused at endpoints of the bench's container, which stays as it is.
    private static func expectDenied(_ bench: ConsoleBench, _ place: String, _ endpoints: [OperatorEndpoint])
        async throws
    {
        let headers = bench.headers(try await bench.session(.operator, in: place))
        let before = try await bench.state()
        for endpoint in endpoints {
            let answer = try await bench.send(
                "POST", "/operator/1/\(bench.scopePath)/\(endpoint.name)", ["user": "nobody"], headers: headers)
            #expect(
                answer.status == 403 && answer.code == "ACCESS_DENIED", "\(endpoint.name), \(place): \(answer.text)")
            guard !endpoint.effect.isReading else { continue }
            let last = try #require(try await bench.actions().first)
            #expect(last.act == endpoint.name && last.outcome == "ACCESS_DENIED" && last.role == "none")
        }
        #expect(try await bench.state() == before)
    }

    @Test("each route has its row in the document, and each row its route")
    func document() async throws {
        try await ConsoleBench.run { bench in
            let document = try APIContract.committed.get()
            let written = document.operations.filter { !Set($0.tags).isDisjoint(with: ["console", "operator"]) }
            let routes = (bench.console.routes + bench.operators.routes).flatMap { route in
                route.methods.map { "\($0) \(route.path)" }
            }.map { $0.replacing(bench.console.build, with: "{build}") }
            #expect(Set(routes) == Set(written.map { "\($0.method) \($0.path)" }))
        }
    }

    @Test("other containers are no way around: an environment that is not served is 404")
    func containers() async throws {
        try await ConsoleBench.run { bench in
            for endpoint in OperatorMount.endpoints {
                let answer = try await bench.send(
                    "POST", "/operator/1/iCloud.elsewhere/development/\(endpoint.name)", [:],
                    headers: bench.headers(bench.token))
                #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(endpoint.name)")
            }
        }
    }
}
