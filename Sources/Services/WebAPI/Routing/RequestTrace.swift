import HTTPServer
import Telemetry

/// A request that is a span of a trace (W3C Trace Context).
struct RequestTrace: Sendable {
    private let name: String
    private let context: TraceContext
    private let parent: UInt64
    private let start = WallClock.nanoseconds

    /// Nil where the trace is not kept.
    init?(_ request: HTTPRequest) {
        guard let above = Tracer.shared.parent(request.head.headers["traceparent"]) else { return nil }
        name = (request.admitted as? Visit)?.route.name ?? request.head.method
        context = above.below(.random(in: 1 ... .max))
        parent = above.span
    }

    /// Answers within the trace.
    func run(_ work: () async -> HTTPResponse) async -> HTTPResponse {
        let response = await TraceContext.$current.withValue(context) { await work() }
        guard !response.isResting else { return response }
        Tracer.shared.record(
            Span(
                name, .server, context, parent: parent, start: start, end: WallClock.nanoseconds,
                attributes: [("http.response.status_code", "\(response.status)")], hasFailed: response.status >= 500))
        return response
    }
}
