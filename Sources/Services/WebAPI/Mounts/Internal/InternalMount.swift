import HTTPServer
import JSON
import Telemetry

/// Health and metrics of a process, for orchestrators and Prometheus.
struct InternalMount: Mount {
    let obstacles: @Sendable () async -> [String]
    let stages: @Sendable () async -> JSONValue
    /// The token that has to be shown; nil: none. Orchestrators' probes can show none: they learn a yes or a no without
    /// it.
    let token: InternalToken?

    var routes: [Route] {
        [
            Self.route("live", "/health/live", nil, .page { PlainDialect.text(200, "live\n") }),
            Self.route(
                "ready", "/health/ready", nil,
                .later { [token] request, _ in
                    let obstacles = await obstacles()
                    guard !obstacles.isEmpty else { return PlainDialect.text(200, "ready\n") }
                    let reasons = token?.isShown(by: request.head) == false ? [] : obstacles
                    return PlainDialect.text(503, "not ready\n" + reasons.map { "\($0)\n" }.joined())
                }),
            Self.route("stages", "/stages", token, .later { _, _ in JSONResponse.make(await stages()) }),
            Self.route(
                "metrics", "/metrics", token,
                .page {
                    HTTPResponse(
                        status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                        body: .bytes(Array(MetricRegistry.shared.prometheusText().utf8)))
                }),
        ]
    }

    /// - Parameter token: what a request has to show.
    private static func route(
        _ name: String, _ path: PathPattern, _ token: InternalToken?, _ work: Route.Work
    ) -> Route {
        Route(
            name, path: path,
            admit: { head, _ in
                guard token?.isShown(by: head) != false else { return .refuse(PlainDialect.unauthorized) }
                return .body(maximumBytes: 1024)
            }, work: work)
    }
}
