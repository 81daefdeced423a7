import Foundation
import Matching
import MatchingWorkload

// The index of subscriptions on the workload ckwl beside `accessidx`, in turns; one line of JSON for each size.
// Arguments: the path of `accessidx`, the number of changes, sizes. Or: what subscriptions that are made to be slow
// cost the others.
let arguments = Array(CommandLine.arguments.dropFirst())
guard let specialist = arguments.first else {
    print("usage: MatchingBenchmark ACCESSIDX [EVENTS [SUBSCRIPTIONS...]]")
    print("       MatchingBenchmark poison")
    exit(64)
}
if specialist == "poison" {
    Poison.measure(subscriptions: 100_000, events: 20_000)
    Poison.measureAll(subscriptions: 100_000, events: 5000)
    exit(0)
}
let events = arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
let sizes = arguments.count > 2 ? arguments.dropFirst(2).compactMap { Int($0) } : [10_000, 100_000, 1_000_000]
try measure(specialist, events, sizes)

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func measure(_ path: String, _ events: Int, _ sizes: [Int]) throws {
    let changes = Workload.changes(events)
    for size in sizes {
        guard let before = try Specialist.run(path, subscriptions: size, events: events) else { exit(1) }
        var measurement = Measurement(subscriptions: size, changes: changes)
        measurement.insertAll()
        let bytes = Double(measurement.index.bytes) / Double(size)
        measurement.pass()
        let first = measurement.checksum
        measurement.pass()
        guard let after = try Specialist.run(path, subscriptions: size, events: events) else { exit(1) }
        let rate = measurement.eventsPerSecond
        let latencies = measurement.latencies
        let matches = measurement.matches
        measurement.deleteAndRestore()
        measurement.pass()
        let specialistRate = 2 / (1 / before.eventsPerSecond + 1 / after.eventsPerSecond)
        let deletes = Double(measurement.deletes) / measurement.deleteSeconds
        let fields: [(String, String)] = [
            ("subscriptions", "\(size)"), ("events", "\(events)"), ("eventsPerSecond", String(format: "%.0f", rate)),
            ("p50Microseconds", String(format: "%.2f", latencies[events / 2] * 1e6)),
            ("p99Microseconds", String(format: "%.2f", latencies[events * 99 / 100] * 1e6)),
            ("matches", "\(matches)"), ("checksum", "\"\(String(format: "%016lx", first))\""),
            ("bytesPerSubscription", String(format: "%.1f", bytes)),
            ("insertsPerSecond", String(format: "%.0f", Double(size) / measurement.insertSeconds)),
            ("deletesPerSecond", String(format: "%.0f", deletes)),
            ("ratioToAccessidx", String(format: "%.2f", rate / specialistRate)),
            (
                "p99RatioToAccessidx",
                String(
                    format: "%.2f",
                    latencies[events * 99 / 100] * 2e6 / (before.p99Microseconds + after.p99Microseconds))
            ),
            (
                "insertRatioToAccessidx",
                String(
                    format: "%.2f",
                    Double(size) / measurement.insertSeconds * 2 / (before.insertsPerSecond + after.insertsPerSecond))
            ),
            (
                "deleteRatioToAccessidx",
                String(format: "%.2f", deletes * 2 / (before.insertsPerSecond + after.insertsPerSecond))
            ),
        ]
        print("{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
        let agreed = [before.checksum, after.checksum].map { UInt64($0, radix: 16) }
        guard agreed == [first, first], measurement.checksum == first else {
            print("the checksums differ: accessidx \(before.checksum), after deletions \(measurement.checksum)")
            exit(1)
        }
    }
}
