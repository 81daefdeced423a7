package import HTTPServer
import Telemetry

/// The internal port of every process: health and metrics, for orchestrators and Prometheus.
package struct InternalAPI: HTTPHandler {
    private let isReady: @Sendable () async -> Bool

    /// - Parameter isReady: whether the process can do its work now.
    package init(isReady: @escaping @Sendable () async -> Bool) { self.isReady = isReady }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
        guard head.method == "GET" else { return .refuse(text(405, "only GET is answered here\n")) }
        return .body(maximumBytes: 1024)
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        switch request.path {
        case "/health/live": .now(text(200, "live\n"))
        case "/health/ready":
            .later { await isReady() ? text(200, "ready\n") : text(503, "not ready\n") }
        case "/metrics":
            .now(
                HTTPResponse(
                    status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
                    body: .bytes(Array(MetricRegistry.shared.prometheusText().utf8))))
        default: .now(text(404, "there are /health/live, /health/ready and /metrics\n"))
        }
    }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { text(refusal.status, refusal.message + "\n") }

    private func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }
}
