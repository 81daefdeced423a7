import Telemetry
import Testing

@Suite struct MetricRegistryTests {
    static let requests = Counter("test_requests_total", "Requests.", labels: ["route": "a\"b"])
    static let open = Gauge("test_open_connections", "Open connections.")
    static let waits = Histogram("test_wait_seconds", "Waits.")

    @Test func everyKindIsExposedInPrometheusText() {
        Self.requests.increment(by: 3)
        Self.open.set(-2)
        Self.waits.record(.milliseconds(3))
        let text = MetricRegistry.shared.prometheusText()
        #expect(text.contains("# TYPE test_requests_total counter\ntest_requests_total{route=\"a\\\"b\"} 3\n"))
        #expect(text.contains("# HELP test_open_connections Open connections.\n"))
        #expect(text.contains("test_open_connections -2\n"))
        #expect(text.contains("test_wait_seconds_bucket{le=\"0.0025\"} 0\n"))
        #expect(text.contains("test_wait_seconds_bucket{le=\"0.005\"} 1\n"))
        #expect(text.contains("test_wait_seconds_count 1\n"))
        #expect(text.contains("test_wait_seconds_sum 0.003\n"))
    }
}
