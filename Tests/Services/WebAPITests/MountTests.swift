import CloudModel
import HTTPClient
import HTTPServer
import Identity
import JSON
import RecordService
import TestSupport
import Testing

// Mounts are the module's own: the program only starts ports.
@testable import WebAPI

/// A mount of a page and of what it asks for: all that a later one has to be.
private struct ConsoleMount: Mount {
    struct Fault: Error {}

    var routes: [Route] {
        [
            Route(
                "console", path: "/console",
                work: .page {
                    HTTPResponse(status: 200, headers: [("Content-Type", "text/html")], body: .bytes(Array("<p>".utf8)))
                }),
            Route(
                "console/users", path: "/console/1/{container}/{environment}/users/{user}", methods: ["GET", "POST"],
                origins: .any(exposing: [RequestID.header]), admit: { _, _ in .body(maximumBytes: 10) },
                work: .later { request, visit in
                    guard visit["user"] != "fault" else { throw Fault() }
                    let scope = try visit.servedScope().scope
                    return JSONResponse.make([
                        "user": .string(visit["user"] ?? ""), "container": .string("\(scope.container)"),
                        "bytes": .integer(Int64(request.body.count)),
                    ])
                }),
        ]
    }
}

/// The features of every mount, shown by one that is not ours (`DESIGN.md`).
@Suite struct MountTests {
    private static let page = [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")]

    /// A port that serves the mount alone.
    private struct Port: Sendable {
        let base: String
        let users: String
        let http: HTTPClient

        func send(
            _ method: String, _ path: String, body: String? = nil, headers: [(String, String)] = []
        ) async throws -> Answer {
            let request = HTTPClientRequest(
                method, base + path, headers: headers, body: body.map { .bytes(Array($0.utf8)) } ?? .empty)
            return Answer(try await http.send(request))
        }
    }

    private func withPort(_ body: @escaping @Sendable (Port) async throws -> Void) async throws {
        try await WebBench.run { bench in
            let scope = APIScope(
                records: bench.system.service, identity: bench.system.identity, feeds: bench.feeds,
                courierTokens: bench.courierTokens,
                webAuthTokens: WebAuthTokens(bench.keys, lifetime: .seconds(3600)),
                queryMarkers: QueryMarkers(bench.keys))
            let server = try await HTTPServer.start(
                HTTPServerConfiguration(), handler: Router([ConsoleMount()], scopes: ScopeTable([scope])))
            let http = HTTPClient()
            let port = Port(
                base: "http://127.0.0.1:\(server.port)", users: "/console/1/\(bench.scopePath)/users", http: http)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(port))
            } catch {
                result = .failure(error)
            }
            await http.close()
            await server.stop(grace: .zero)
            try result.get()
        }
    }

    @Test func aMountsRoutesAreAnswered() async throws {
        try await withPort { port in
            let page = try await port.send("GET", "/console")
            #expect(page.status == 200 && page.body == Array("<p>".utf8))
            #expect(page.headers["Content-Type"] == "text/html" && page.headers[RequestID.header] == nil)
            let head = try await port.send("HEAD", "/console")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["Content-Length"] == "3")
            let users = try await port.send("POST", port.users + "/a%2Fb", body: "1234567890")
            #expect(users.json["user"] == "a/b" && users.json["bytes"] == 10)
            #expect(users.json["container"]?.string == port.users.split(separator: "/")[2].description)
            #expect(users.headers[RequestID.header]?.utf8.count == 36)
            #expect(users.headers["Access-Control-Allow-Origin"] == "*")
            #expect(users.headers["Access-Control-Expose-Headers"] == RequestID.header)
        }
    }

    @Test func otherPathsAndMethodsAreRefused() async throws {
        try await withPort { port in
            for path in ["/", "/console/", "/console/1", port.users, port.users + "/a/b", "/Console"] {
                expect(try await port.send("GET", path), .notFound, "\(path)")
            }
            for (path, allowed) in [("/console", "GET, HEAD"), (port.users + "/a", "GET, HEAD, POST")] {
                let answer = try await port.send("DELETE", path)
                expect(answer, .badRequest)
                #expect(answer.status == 405 && answer.headers["Allow"] == allowed)
            }
        }
    }

    @Test func preflightsListAllowedMethods() async throws {
        try await withPort { port in
            let users = try await port.send("OPTIONS", port.users + "/a", headers: Self.page)
            #expect(users.status == 204 && users.body.isEmpty)
            #expect(users.headers["Access-Control-Allow-Origin"] == "*")
            #expect(users.headers["Access-Control-Allow-Methods"] == "GET, POST")
            // Pages of the port itself need no preflight, and others get no CORS headers.
            let page = try await port.send("OPTIONS", "/console", headers: Self.page)
            #expect(page.status == 405 && page.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test func containersAndErrorsAreLookedAfter() async throws {
        try await withPort { port in
            let elsewhere = try await port.send("GET", "/console/1/iCloud.other/development/users/a")
            expect(elsewhere, .notFound)
            #expect(elsewhere.headers["Access-Control-Allow-Origin"] == "*")
            #expect(try await port.send("POST", port.users + "/a", body: "12345678901").code == "QUOTA_EXCEEDED")
            let fault = try await port.send("GET", port.users + "/fault")
            #expect(fault.status == 500 && fault.code == "INTERNAL_ERROR")
            #expect(fault.headers[RequestID.header] == fault.json["uuid"]?.string)
        }
    }

    // MARK: Paths

    private static let tree = RouteTree(
        ["/a", "/a/{x}/c", "/b/{database}/c", "/b/{database}/d/{x}", "/c/{container}/{environment}"].map {
            Route($0, path: PathPattern($0), work: .page { HTTPResponse(status: 200) })
        })

    @Test(
        arguments: [
            (["a"], "/a"), (["a", ""], nil), (["a", "y", "c"], "/a/{x}/c"), (["a", "c"], nil),
            (["a", "", "c"], "/a/{x}/c"),
            (["b", "public", "c"], "/b/{database}/c"), (["b", "all", "c"], nil),
            (["b", "private", "d", "c"], "/b/{database}/d/{x}"),
            (["b", "private", "d"], nil), (["a/y/c"], nil), ([], nil), ([""], nil),
            (["c", "x", "y"], "/c/{container}/{environment}"),
            (["a", "y", "c", "z"], nil),
        ] as [([String], String?)])
    func aPathLeadsToOneRouteOrNowhere(segments: [String], path: String?) {
        #expect(Self.tree.route(of: segments)?.path.description == path)
    }

    @Test func aVisitHasItsPathParameters() throws {
        let route = try #require(Self.tree.route(of: ["b", "shared", "d", "7"]))
        let visit = Visit(route, ["b", "shared", "d", "7"], ScopeTable())
        #expect(visit["x"] == "7" && visit.database == .shared && visit["y"] == nil)
        #expect(visit.scope == nil)
    }
}
