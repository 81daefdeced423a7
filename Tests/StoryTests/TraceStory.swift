import CloudModel
import FanfareCloudKit
import HTTPClient
import HTTPServer
import JSON
import Operations
import Synchronization
import TestSupport
import Testing

/// An operator follows one request through all processes, in an OpenTelemetry collector.
@Suite struct TraceStory {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let caller = "00f067aa0ba902b7"

    @Test(
        "the spans of a request, of matching, delivery and reading come to the collector, and those of a trace that is not kept do not",
        arguments: StorySystem.Kind.available)
    func followed(kind: StorySystem.Kind) async throws {
        let collector = Collector()
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: collector)
        let system = try await StorySystem.start(
            kind, with: ["FANFARE_OTLP_ENDPOINT": "http://127.0.0.1:\(server.port)/"])
        let user = try await system.user("traced")
        let phone = try await user.register("phone")
        let courier = try await StoryCourier(of: user, in: system)
        try await user.subscribe("all", to: "Picture", in: .private)
        func save(_ name: String, _ trace: String, flags: String) async throws {
            let client = CloudService(
                url: system.url, scope: system.scope, apiToken: system.apiToken, webAuthToken: user.client.webAuthToken,
                transport: TracingTransport(http: system.http, traceparent: "00-\(trace)-\(Self.caller)-\(flags)"))
            let record: JSONValue = [
                "recordName": .string(name), "recordType": "Picture", "fields": ["n": ["value": 1]],
            ]
            let answer = try await client.database(
                .private, "records/modify", ["operations": [["operationType": "create", "record": record]]])
            #expect(answer["records"]?[0]?["recordChangeTag"] != nil, "\(answer)")
        }
        // In a private database, one after the other: were the first one's spans exported, they would be there with the
        // second's.
        let other = String(Self.trace.reversed())
        try await save("silent", other, flags: "00")
        try await save("traced", Self.trace, flags: "01")
        // It came to the notification, and a courier's answer has it.
        let silent = try await courier.next().response.headers["traceparent"]
        #expect(silent == nil)
        let header = try #require(try await courier.next().response.headers["traceparent"])
        // Each notification is delivered once: a page that reads one ahead reports its own alone.
        var (position, count) = (String?.none, 0)
        while count < 2 {
            let page = try await user.changes(phone, after: position, limit: 1, wait: 5)
            (position, count) = (page.token, count + page.notes.count)
        }
        try await eventually("five spans") { collector.spans(of: Self.trace).count >= 5 }
        try await system.stop()
        await server.stop(grace: .zero)

        let spans = collector.spans(of: Self.trace)
        let request = try #require(spans.first { $0["name"]?.string == "records/modify" })
        #expect(request["parentSpanId"]?.string == Self.caller && request["kind"]?.integer == 2)
        #expect(header == "00-\(Self.trace)-\(request["spanId"]?.string ?? "")-01")
        #expect(spans.count { $0["name"]?.string == "read" } == 2, "the courier and the phone")
        for name in ["match", "deliver", "read"] {
            let span = try #require(spans.first { $0["name"]?.string == name })
            #expect(span["parentSpanId"] == request["spanId"] && span["spanId"] != request["spanId"])
            let times = ["startTimeUnixNano", "endTimeUnixNano"].compactMap { span[$0]?.string.flatMap(Int64.init) }
            #expect(times.count == 2 && times[0] <= times[1])
        }
        #expect(collector.spans(of: other).isEmpty)
        let services = kind.isEmbedded ? ["fanfare-dev"] : ["fanfare-record-service", "fanfare-subscription-matcher"]
        #expect(collector.services.sorted() == services)
    }
}

/// A collector that keeps what it gets.
private final class Collector: HTTPHandler {
    private let requests = Mutex<[JSONValue]>([])

    func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 8 << 20) }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard request.head.path == "/v1/traces", case .bytes(let bytes) = request.body,
            let json = try? JSONValue(parsing: bytes)
        else { return .now(HTTPResponse(status: 400)) }
        requests.withLock { $0.append(json) }
        return .now(HTTPResponse(status: 200, body: .bytes(Array("{}".utf8))))
    }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(status: refusal.status) }

    private var groups: [JSONValue] { requests.withLock { $0 }.flatMap { $0["resourceSpans"]?.array ?? [] } }

    /// The spans of a trace, each once.
    func spans(of trace: String) -> [JSONValue] {
        groups.flatMap { $0["scopeSpans"]?[0]?["spans"]?.array ?? [] }.filter { $0["traceId"]?.string == trace }
    }

    /// The services that sent any.
    var services: Set<String> {
        Set(groups.compactMap { $0["resource"]?["attributes"]?[0]?["value"]?["stringValue"]?.string })
    }
}

/// Names a trace in each request.
private struct TracingTransport: FanfareTransport {
    let http: HTTPClient
    let traceparent: String

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let answer = try await http.send(
            HTTPClientRequest(
                request.method, request.url, headers: [("traceparent", traceparent)], body: .bytes(request.body)))
        return FanfareResponse(status: answer.status, body: answer.body)
    }

    func stream(_ request: FanfareRequest) async throws -> FanfareStream { throw CancellationError() }
}
