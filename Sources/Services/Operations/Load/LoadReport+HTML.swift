import Telemetry
import TextForms

extension LoadReport {
    /// The report as one page that needs nothing else: the findings, the course, and the latencies.
    package var html: String {
        let verdict =
            isClean ? "Every notification came, once." : "NOT CLEAN: \(lost) lost, \(doubled) doubled, \(failed) failed"
        let charts = [throughput, latency, backlog].map(\.svg).joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(Self.escaped(name)): load</title>
            <style>
            body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2em auto; padding: 0 1em; color: #1d2733; }
            h1 { font-size: 1.5em; } h2 { font-size: 1.1em; margin: 1.6em 0 .3em; }
            pre { background: #f4f6f8; padding: 1em; overflow-x: auto; } svg { width: 100%; background: #fbfcfd; }
            .good { color: #17693a; } .bad { color: #b3261e; } path { fill: none; stroke-width: 1.6; }
            .grid { stroke: #dfe4ea; } text { font-size: 11px; fill: #5b6773; } .scale { text-anchor: end; }
            .second { text-anchor: middle; }
            </style></head><body>
            <h1>\(Self.escaped(name))</h1>
            <p class="\(isClean ? "good" : "bad")"><strong>\(verdict)</strong></p>
            <pre>\(Self.escaped(text))</pre>
            \(charts)
            </body></html>
            """ + "\n"
    }

    private var throughput: LoadChart {
        LoadChart(
            title: "Throughput", unit: "a second",
            curves: [
                .init(name: "records saved", colour: "#2563ab", values: timeline.seconds.map { Double($0.saved) }),
                .init(name: "notifications", colour: "#c2570c", values: timeline.seconds.map { Double($0.received) }),
            ])
    }

    private var latency: LoadChart {
        func curve(_ name: String, _ colour: String, _ share: Double) -> LoadChart.Curve {
            .init(
                name: name, colour: colour,
                values: timeline.seconds.map { $0.latencies.percentile(share).map { Double($0) / 1000 } })
        }
        return LoadChart(
            title: "From due to device", unit: "ms, of the notifications that came in each second",
            curves: [curve("p50", "#2e7d4f", 0.5), curve("p95", "#b58a00", 0.95), curve("p99", "#b3261e", 0.99)])
    }

    private var backlog: LoadChart {
        LoadChart(
            title: "Still to come", unit: "notifications at the end of each second",
            curves: [
                .init(name: "due and not received", colour: "#6a3fa0", values: timeline.waiting.map { Double($0) })
            ])
    }

    private static func escaped(_ text: String) -> String {
        text.exchanging("&", for: "&amp;").exchanging("<", for: "&lt;").exchanging(">", for: "&gt;")
    }
}
