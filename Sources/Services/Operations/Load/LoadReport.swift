package import JSON
package import Telemetry

/// The findings of a load run.
package struct LoadReport: Sendable {
    /// The scenario's name.
    package var name = ""
    /// Records that the plan asked for.
    package var wanted = 0
    /// Records that were saved.
    package var saved = 0
    /// Records that were refused or got no answer.
    package var failed = 0
    /// Saves that were made again.
    package var retried = 0
    /// The expected notifications of the saved records.
    package var expected = 0
    /// Notifications that came.
    package var received = 0
    /// Notifications that came more than once.
    package var doubled = 0
    /// From the first save to the last answer.
    package var seconds = 0.0
    /// From the time that a save was due to its answer.
    package var saves = LogLinearHistogram()
    /// From the time that a save was due to the arrival of its notification.
    package var notifications = LogLinearHistogram()
    /// Subscriptions that came and went meanwhile: both requests.
    package var churns = LogLinearHistogram()
    /// Of these, refused or not answered.
    package var churnsFailed = 0
    /// From the registration of a new device to the end of its replay.
    package var replays = LogLinearHistogram()
    /// Notifications that replays did not bring.
    package var replayLost = 0
    /// Notifications that a replay brought more than once.
    package var replayDoubled = 0
    /// The course of the run.
    package var timeline = LoadTimeline()

    package init() {}

    /// Notifications that did not come.
    package var lost: Int { expected - received }
    /// True if all records were saved and each came as exactly one notification to each device.
    package var isClean: Bool {
        lost == 0 && doubled == 0 && failed == 0 && churnsFailed == 0 && replayLost == 0 && replayDoubled == 0
    }
    /// Records saved in a second.
    var recordsPerSecond: Double { seconds > 0 ? Double(saved) / seconds : 0 }

    /// The report for people.
    package var text: String {
        let retries = retried > 0 ? ", \(retried) made again" : ""
        var lines = [
            "saved          \(saved) of \(wanted) in \(Self.format(seconds)) s: \(Self.format(recordsPerSecond)) records/s (\(failed) failed\(retries))",
            "notifications  \(received) received, \(lost) lost, \(doubled) doubled",
            "save           \(Self.percentiles(saves))",
            "end to end     \(Self.percentiles(notifications))",
        ]
        if churns.count > 0 || churnsFailed > 0 {
            lines.append(
                "subscriptions  \(churns.count) came and went (\(churnsFailed) failed)   \(Self.percentiles(churns))")
        }
        if replays.count > 0 {
            lines.append(
                "replays        \(replays.count) new devices, \(replayLost) lost, \(replayDoubled) doubled   \(Self.percentiles(replays))"
            )
        }
        lines.append(
            "Latencies count from the time a save was due; percentiles are at most 1/\(LogLinearHistogram.steps) above the true ones."
        )
        return lines.joined(separator: "\n")
    }

    /// The report for machines; latencies in microseconds.
    package var json: JSONValue {
        [
            "name": .string(name), "wanted": .integer(Int64(wanted)), "saved": .integer(Int64(saved)),
            "failed": .integer(Int64(failed)), "retried": .integer(Int64(retried)),
            "expected": .integer(Int64(expected)), "received": .integer(Int64(received)),
            "lost": .integer(Int64(lost)), "doubled": .integer(Int64(doubled)), "seconds": .double(seconds),
            "recordsPerSecond": .double(recordsPerSecond), "saveMicroseconds": Self.json(saves),
            "endToEndMicroseconds": Self.json(notifications), "subscriptionMicroseconds": Self.json(churns),
            "subscriptionsFailed": .integer(Int64(churnsFailed)), "replayMicroseconds": Self.json(replays),
            "replayLost": .integer(Int64(replayLost)), "replayDoubled": .integer(Int64(replayDoubled)),
            "percentileErrorMax": .double(LogLinearHistogram.relativeErrorMax),
            "timeline": .array(zip(timeline.seconds, timeline.waiting).map(Self.json)),
        ]
    }

    static let shares: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1),
    ]

    private static func json(_ second: LoadTimeline.Second, _ waiting: Int) -> JSONValue {
        [
            "saved": .integer(Int64(second.saved)), "received": .integer(Int64(second.received)),
            "waiting": .integer(Int64(waiting)), "endToEndMicroseconds": json(second.latencies),
        ]
    }

    private static func json(_ histogram: LogLinearHistogram) -> JSONValue {
        var json: JSONObject = [:]
        for (name, share) in shares { json[name] = histogram.percentile(share).map { .integer($0) } ?? .null }
        return .object(json)
    }

    static func percentiles(_ histogram: LogLinearHistogram) -> String {
        shares.map { name, share in
            "\(name) \(histogram.percentile(share).map { format(Double($0) / 1000) } ?? "–") ms"
        }.joined(separator: "   ")
    }

    static func format(_ number: Double) -> String {
        let tenths = (number * 10).rounded() / 10
        return tenths >= 100 ? String(Int(number.rounded())) : String(tenths)
    }
}
