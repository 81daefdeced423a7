import HTTPClient
import JSON
import Telemetry

/// Brings the process's spans to an OpenTelemetry collector, in batches. What the collector does not take is lost and
/// counted.
struct TraceExporter: Sendable {
    /// Spans in a request.
    private static let batchMax = 512
    private static let pause = Duration.seconds(1)
    /// The longest that a collector may take to answer, and that at the process's end.
    private static let patience = Duration.seconds(5)
    private static let patienceAtEnd = Duration.seconds(1)

    private let url: String
    private let service: String
    private let tracer: Tracer
    private let http = HTTPClient()

    /// Begins to keep spans; nil where the settings name no collector.
    init?(_ settings: TracingConfiguration, service: String, tracer: Tracer = .shared) {
        guard !settings.endpoint.isEmpty else { return nil }
        let base = settings.endpoint.hasSuffix("/") ? String(settings.endpoint.dropLast()) : settings.endpoint
        url = base + "/v1/traces"
        self.service = service
        self.tracer = tracer
        tracer.start(ratio: settings.ratio)
    }

    /// Exports until the task is cancelled.
    func run() async {
        var isFailing = false
        while true {
            do { try await Task.sleep(for: Self.pause) } catch { return }
            var spans = tracer.take(atMost: Self.batchMax)
            while !spans.isEmpty, !Task.isCancelled {
                let failure = await export(spans, within: Self.patience)
                // Once for each time of failing.
                if let failure, !isFailing {
                    Log.warning("traces.export.failed", ["endpoint": url, "error": failure])
                }
                isFailing = failure != nil
                spans = isFailing ? [] : tracer.take(atMost: Self.batchMax)
            }
        }
    }

    /// Exports the remaining spans, if the collector takes them at once, and ends. Call it after `run` has returned.
    func close() async {
        tracer.stop()
        // A request of a task that is cancelled would end.
        await Task.detached { await exportRest() }.value
        await http.close()
    }

    private func exportRest() async {
        while true {
            let spans = tracer.take(atMost: Self.batchMax)
            guard !spans.isEmpty, await export(spans, within: Self.patienceAtEnd) == nil else { return }
        }
    }

    /// - Returns: the reason for which the collector did not take them; nil where it did.
    private func export(_ spans: [Span], within patience: Duration) async -> String? {
        do {
            var request = HTTPClientRequest(
                "POST", url, headers: [("Content-Type", "application/json")],
                body: .bytes(try OTLPSpans.json(spans, service: service).serialized()))
            request.timeout = patience
            request.responseBytesMaximum = 1 << 20
            let response = try await http.send(request)
            if (200..<300).contains(response.status) { return nil }
            Tracer.lost.increment(by: spans.count)
            return "HTTP \(response.status)"
        } catch {
            Tracer.lost.increment(by: spans.count)
            return "\(error)"
        }
    }
}
