import HTTPServer
import Telemetry

/// Health and metrics of a process, for orchestrators and Prometheus.
struct InternalMount: Mount {
    let isReady: @Sendable () async -> Bool
    let reasons: @Sendable () -> [String]

    var routes: [Route] {
        [
            Self.route("live", "/health/live", .page { PlainDialect.text(200, "live\n") }),
            Self.route(
                "ready", "/health/ready",
                .later { _, _ in
                    let reasons = reasons()
                    return await isReady() && reasons.isEmpty
                        ? PlainDialect.text(200, "ready\n")
                        : PlainDialect.text(503, (["not ready"] + reasons).map { "\($0)\n" }.joined())
                }),
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
