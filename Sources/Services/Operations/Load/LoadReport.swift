package import JSON
package import Telemetry

/// The findings of a load run.
package struct LoadReport: Sendable {
    /// Records that the plan asked for.
    package var wanted = 0
    /// Records that were saved.
    package var saved = 0
    /// Records that were refused or got no answer.
    package var failed = 0
    /// Saved records whose notification came.
    package var received = 0
    /// Notifications that came more than once.
    package var doubled = 0
    /// From the first save to the last answer.
    package var seconds = 0.0
    /// From the time that a save was due to its answer.
    package var saves = LogLinearHistogram()
    /// From the time that a save was due to the arrival of its notification.
    package var notifications = LogLinearHistogram()

    package init() {}

    /// Notifications that did not come.
    package var lost: Int { saved - received }
    /// True if all records were saved and each came as exactly one notification.
    package var isClean: Bool { lost == 0 && doubled == 0 && failed == 0 }

    /// The report for people.
    package var text: String {
        let rate = seconds > 0 ? Double(saved) / seconds : 0
        return """
            saved          \(saved) of \(wanted) in \(Self.format(seconds)) s: \(Self.format(rate)) records/s (\(failed) failed)
            notifications  \(received) received, \(lost) lost, \(doubled) doubled
            save           \(Self.percentiles(saves))
            end to end     \(Self.percentiles(notifications))
            Latencies count from the time a save was due; percentiles are at most 1/\(LogLinearHistogram.steps) above the true ones.
            """
    }

    /// The report for machines; latencies in microseconds.
    package var json: JSONValue {
        [
            "wanted": .integer(Int64(wanted)), "saved": .integer(Int64(saved)), "failed": .integer(Int64(failed)),
            "received": .integer(Int64(received)), "lost": .integer(Int64(lost)), "doubled": .integer(Int64(doubled)),
            "seconds": .double(seconds), "recordsPerSecond": .double(seconds > 0 ? Double(saved) / seconds : 0),
            "saveMicroseconds": Self.json(saves), "endToEndMicroseconds": Self.json(notifications),
            "percentileErrorMax": .double(LogLinearHistogram.relativeErrorMax),
        ]
    }

    private static let shares: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1),
    ]

    private static func json(_ histogram: LogLinearHistogram) -> JSONValue {
        var json: JSONObject = [:]
        for (name, share) in shares { json[name] = histogram.percentile(share).map { .integer($0) } ?? .null }
        return .object(json)
    }

    private static func percentiles(_ histogram: LogLinearHistogram) -> String {
        shares.map { name, share in
            "\(name) \(histogram.percentile(share).map { format(Double($0) / 1000) } ?? "–") ms"
        }.joined(separator: "   ")
    }

    private static func format(_ number: Double) -> String {
        let tenths = (number * 10).rounded() / 10
        return tenths >= 100 ? String(Int(number.rounded())) : String(tenths)
    }
}
