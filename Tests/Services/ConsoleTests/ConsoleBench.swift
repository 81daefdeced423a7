import CloudMessages
import CloudModel
import Console
import Cryptography
import Feeds
import HTTPClient
import HTTPServer
import Identity
import JSON
import MemoryLog
import Push
import RecordService
import TestSupport
import Testing
import WebAPI

/// The console as a browser meets it: an HTTP server with the API and the console's mounts.
final class ConsoleBench: Sendable {
    let system: TestSystem
    let start: ConsoleStart
    let console: ConsoleMount
    /// The API token of the console's pages.
    let apiToken: String
    private let server: HTTPServer
    private let http = HTTPClient()

    private init(_ source: ConsoleMount.Source, isReadOnly: Bool) async throws {
        system = try await TestSystem(log: MemoryLog(), partitions: 2)
        start = ConsoleStart(isReadOnly: isReadOnly, operatorsSignIn: false)
        console = ConsoleMount(source, start: start)
        apiToken = try await system.identity.makeAPIToken(note: "test")
        let keys = KeyRing.generate()
        let scope = APIScope(
            records: system.service, identity: system.identity,
            feeds: FeedService(
                log: system.log, layout: system.layout, keys: keys,
                reading: FeedReading(system.log, news: FeedWakeups())),
            couriers: Couriers(keys, scope: system.layout.scope),
            webAuthTokens: WebAuthTokens(keys, lifetime: .seconds(3600)), queryMarkers: QueryMarkers(keys))
        server = try await HTTPServer.start(
            HTTPServerConfiguration(), handler: CloudAPI([scope], more: [console], isReadOnly: isReadOnly))
    }

    /// Runs a test on a bench of its own, and ends it.
    static func run(
        _ source: ConsoleMount.Source = .embedded, isReadOnly: Bool = false,
        _ body: @escaping @Sendable (ConsoleBench) async throws -> Void
    ) async throws {
        try await within {
            let bench = try await ConsoleBench(source, isReadOnly: isReadOnly)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(bench))
            } catch {
                result = .failure(error)
            }
            await bench.server.stop(grace: .zero)
            await bench.http.close()
            await bench.system.stop()
            try result.get()
        }
    }

    var scopePath: String { "\(system.layout.scope.container)/\(system.layout.scope.environment)" }

    /// Sends a request, and holds it and the answer against `docs/openapi.yaml`.
    func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, headers: [(String, String)] = []
    ) async throws -> Answer {
        let request = HTTPClientRequest(
            method, "http://127.0.0.1:\(server.port)\(path)", headers: headers,
            body: try body.map { .bytes(try $0.serialized()) } ?? .empty)
        let response = try await http.send(request)
        // The document is about contents, not about how they are packed.
        if response.headers["Content-Encoding"] == nil { expectAgreement(Exchange(request, response)) }
        return Answer(response: response)
    }
}

/// An answer, read as JSON where it is some.
struct Answer: Sendable {
    let response: HTTPClientResponse

    var status: Int { response.status }
    var headers: HTTPClientHeaders { response.headers }
    var body: [UInt8] { response.body }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue(parsing: response.body)) ?? .null }
    var code: String? { json["serverErrorCode"]?.string }
}
