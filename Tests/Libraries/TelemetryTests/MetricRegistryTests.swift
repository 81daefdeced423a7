import Telemetry
import Testing

@Suite struct MetricRegistryTests {
    static let requests = Counter("test_requests_total", "Requests.", labels: ["route": "a\"b"])
    static let paths = Counter("test_paths_total", "Paths.", labels: ["path": "C:\\x\r\ny"])
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

    @Test func labelsAreEscapedByScalars() {
        Self.paths.increment()
        let text = MetricRegistry.shared.prometheusText()
        // A line feed after a carriage return is one character with it, and ends a line all the same.
        #expect(text.contains("test_paths_total{path=\"C:\\\\x\r\\ny\"} 1\n"))
    }

    @Test func processMetricsAreExported() throws {
        ProcessMetrics.register(version: "1.2.3")
        ProcessMetrics.register(version: "1.2.4")
        let lines = MetricRegistry.shared.prometheusText().split(separator: "\n")
        func value(_ name: String) throws -> Double {
            let line = try #require(lines.first { $0.hasPrefix(name + " ") })
            return try #require(Double(line.dropFirst(name.count + 1)))
        }
        #expect(lines.contains("# TYPE process_cpu_seconds_total counter"))
        #expect(try value("process_cpu_seconds_total") > 0)
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        // Standard input, output and error at least, and no more than there may be.
        let open = try value("process_open_fds")
        #expect(try open >= 3 && open <= value("process_max_fds"))
        #expect(try value("process_start_time_seconds") > 1_600_000_000)
        #expect(lines.filter { $0.hasPrefix("fanfare_build_info") } == ["fanfare_build_info{version=\"1.2.3\"} 1"])
    }

    @Test("a gauge of several owners is their sum, and without those that are gone")
    func shares() {
        let gauge = Gauge("test_shared_things", "Things.")
        let first = GaugeShare(of: gauge)
        first.set(3)
        do {
            let second = GaugeShare(of: gauge)
            second.set(2)
            first.set(1)
            #expect(gauge.current == 3)
            withExtendedLifetime(second) {}
        }
        #expect(gauge.current == 1)
        withExtendedLifetime(first) {}
    }

    @Test("a gauge of the largest is that of the owners that are there")
    func peaks() {
        final class Owner {}
        let (gauge, first, second) = (PeakGauge("test_largest_thing", "Things."), Owner(), Owner())
        gauge.set(3, of: first)
        gauge.set(2, of: second)
        #expect(gauge.current == 3)
        gauge.withdraw(first)
        #expect(gauge.current == 2)
        withExtendedLifetime((first, second)) {}
    }
}
