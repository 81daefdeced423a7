import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import HTTPClient
import HTTPServer
import Identity
import JSON
import MemoryLog
import Push
import RecordService
import RecordStore
import Telemetry
import TestSupport
import Testing

@testable import Console
@testable import WebAPI
@testable import fanfare

/// The console as a browser meets it: an HTTP server with the API and the console's mounts.
final class ConsoleBench: Sendable {
    let system: TestSystem
    let memory: MemoryLog
    let keys = KeyRing.generate()
    let start: ConsoleStart
    let console: ConsoleMount
    let operators: OperatorMount
    let sessions: OperatorSessions
    /// The token of an operator's session.
    let token: String
    /// The API token of the console's pages.
    let apiToken: String
    /// Has the key ring, `token.keys`.
    let folder = TemporaryFolder()
    private let server: HTTPServer
    private let http = HTTPClient()

    private init(
        _ source: ConsoleMount.Source, _ environment: CloudEnvironment, isReadOnly: Bool, log: any EventLog
    ) async throws {
        memory = log as? MemoryLog ?? MemoryLog()
        system = try await TestSystem(log: log, environment: environment, partitions: 2)
        start = ConsoleStart(isReadOnly: isReadOnly, operatorsSignIn: false)
        console = ConsoleMount(source, start: start)
        apiToken = try await system.identity.makeAPIToken(note: "test")
        let scope = APIScope(
            records: system.service, identity: system.identity,
            feeds: FeedService(
                FeedSources(system.log, layout: system.layout), keys: keys, reading: FeedReading(system.log)),
            courierTokens: WebCourierTokens(keys, scope: system.layout.scope),
            webAuthTokens: WebAuthTokens(keys, lifetime: .seconds(3600)), queryMarkers: QueryMarkers(keys))
        LogTail.shared.turnOn()
        sessions = OperatorSessions(
            fixedToken: nil, file: KeptFile(load: { nil }, save: { _ in }), now: system.service.now)
        token = try sessions.begin(Operator(name: "anna@example.com", role: .operator)).token
        let explanations = Self.explanations(system, memory, keys)
        var operated = OperatedSystem(
            version: "test", log: system.log, scopes: [scope],
            settings: [["name": "listen", "value": "x", "source": "default"]], obstacles: { [] },
            stages: { [] },
            explain: explanations.explain)
        operated.way = explanations.way
        try KeyRing.generate().save(file: folder.path("token.keys"))
        operated.secrets = SecretsFile(folder.path("token.keys"))
        operated.audits = AuditRuns(
            file: KeptFile(load: { nil }, save: { _ in }), now: system.service.now
        ) { request, reporter in
            for number in 0..<3 {
                reporter.found([
                    "kind": "lost", "userRecordName": "_a", "topic": "journals", "detail": "\(number)",
                    "change": .integer(Int64(number)),
                ])
            }
            // An audit of a device waits to be stopped.
            if !request.devices.isEmpty { await Self.untilCancelled() }
            try Task.checkCancellation()
            return [
                "changes": 1, "expected": 3, "users": 1, "feeds": 1, "entries": 0, "behind": 0, "differences": 3,
            ]
        }
        operated.testPushes = { _, entries in
            entries.map { entry in
                [
                    "kind": .string(entry.kind), "userRecordName": .string(entry.user),
                    "registered": .integer(entry.registered), "outcome": "accepted",
                ]
            }
        }
        operators = OperatorMount(sessions, operated, requestsPerSecond: 0, isReadOnly: isReadOnly)
        var configuration = HTTPServerConfiguration()
        configuration.hosts = HostNames([], addresses: .loopback)
        server = try await HTTPServer.start(
            configuration, handler: CloudAPI([scope], more: [console, operators], isReadOnly: isReadOnly))
    }

    /// Returns once the task is cancelled.
    private static func untilCancelled() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }

    /// The explanations of the program itself.
    private static func explanations(_ system: TestSystem, _ memory: MemoryLog, _ keys: KeyRing) -> ServedExplanations {
        ServedExplanations(
            places: [
                system.layout.scope: ServedExplanations.Place(
                    layout: system.layout, log: system.log,
                    journals: LogJournals(system.log, layout: system.layout), store: system.service.store)
            ], keys: keys, configuration: Configuration()
        ) { try await memory.positions(of: $0, $1) }
    }

    /// Runs a test on a bench of its own, and ends it.
    static func run(
        _ source: ConsoleMount.Source = .embedded, in environment: CloudEnvironment = .development,
        isReadOnly: Bool = false, log: any EventLog = MemoryLog(),
        _ body: @escaping @Sendable (ConsoleBench) async throws -> Void
    ) async throws {
        try await within {
            let bench = try await ConsoleBench(source, environment, isReadOnly: isReadOnly, log: log)
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

    /// Begins a session of an operator with a role, in a place or everywhere.
    func session(_ role: Operator.Role, in place: String? = nil) async throws -> String {
        let right = Operator.Right(role, place: place)
        return try sessions.begin(Operator(name: "\(role)@example.com", rights: [right])).token
    }

    /// The headers of an operator's request.
    func headers(_ token: String) -> [(String, String)] {
        [("X-Fanfare-Console", "1"), ("Authorization", "Bearer \(token)")]
    }

    /// Sends what an operator asks for.
    func ask(_ name: String, _ body: JSONValue = [:]) async throws -> Answer {
        try await send("POST", "/operator/1/\(scopePath)/\(name)", body, headers: headers(token))
    }

    /// The acts on record, the latest first.
    func actions() async throws -> [OperatorAction] {
        try await system.service.store.read { try $0.operatorActions(before: .max, limit: 1000) }
    }

    /// What operators' acts would change, but for their record.
    func state() async throws -> JSONValue {
        let tokens = try await system.identity.listAPITokens().map { JSONValue.string($0.id) }
        let keys = try await system.identity.listServerKeys().map { JSONValue.string($0.id) }
        let users = try await system.identity.listUsers(after: "", limit: 1000).map {
            JSONValue.string("\($0.profile.name) \($0.isBlocked)")
        }
        let last = try await system.service.store.read { try ($0.settledSequence().rawValue, $0.schema()) }
        return [
            "tokens": .array(tokens), "keys": .array(keys), "users": .array(users), "sequence": .integer(last.0),
            "schema": .string(SchemaText.write(last.1)),
            "secrets": .array(try KeyRing.load(file: folder.path("token.keys")).names.map { .string($0) }),
        ]
    }

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
