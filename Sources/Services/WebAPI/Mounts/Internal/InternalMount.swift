import HTTPServer
import JSON
import Telemetry

/// Health and metrics of a process, for orchestrators and Prometheus.
struct InternalMount: Mount {
    let obstacles: @Sendable () async -> [String]
    let stages: @Sendable () async -> JSONValue

    var routes: [Route] {
        [
            Self.route("live", "/health/live", .page { PlainDialect.text(200, "live\n") }),
            Self.route(
                "ready", "/health/ready",
                .later { _, _ in
                    let obstacles = await obstacles()
                    guard !obstacles.isEmpty else { return PlainDialect.text(200, "ready\n") }
                    return PlainDialect.text(503, "not ready\n" + obstacles.map { "\($0)\n" }.joined())
                }),
            Self.route("stages", "/stages", .later { _, _ in JSONResponse.make(await stages()) }),
            Self.route(
                "metrics", "/metrics",
                .page {
                    HTTPResponse(
                        status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                        body: .bytes(Array(MetricRegistry.shared.prometheusText().utf8)))
                }),
        ]
    }

    private static func route(_ name: String, _ path: PathPattern, _ work: Route.Work) -> Route {
        Route(name, path: path, admit: { _, _ in .body(maximumBytes: 1024) }, work: work)
    }
}
