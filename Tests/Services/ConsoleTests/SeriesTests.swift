import CloudModel
import Foundation
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Console

/// Series: values made of metrics, a sample every ten seconds of a clock that the test moves.
@Suite struct SeriesTests {
    /// Metrics and a wall clock that a test sets.
    private final class Source: Sendable {
        let families = Mutex<[String: [MetricReading.Number]]>([:])
        let wall = Mutex<Int64>(1_000_000)

        func set(_ family: String, _ numbers: [MetricReading.Number]) { families.withLock { $0[family] = numbers } }
        func reading(of names: Set<String>) -> MetricReading {
            MetricReading(families: families.withLock { $0.filter { names.contains($0.key) } })
        }

        func set(_ family: String, _ value: Double) { set(family, [.init(value: value)]) }

        /// A histogram with counts up to bounds.
        func count(_ family: String, _ counts: [(String, Double)]) {
            set(family, counts.map { .init(suffix: "_bucket", labels: [("le", $0)], value: $1) })
        }
    }

    /// Runs a recorder on a manual clock; `step` is called with the number of each sample that was taken.
    private static func record(
        _ series: [Series], samples: Int, _ source: Source, _ step: @escaping @Sendable (Int) -> Duration?
    ) async throws -> JSONObject {
        let recorder = SeriesRecorder(
            series, read: { source.reading(of: $0) },
            wall: { source.wall.withLock { $0 } })
        let time = ManualTime()
        try await within {
            await time.bound {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await recorder.run() }
                    for sample in 1...samples {
                        await time.pauses(atLeast: sample)
                        guard sample < samples else { break }
                        let pause = step(sample) ?? .seconds(10)
                        source.wall.withLock { $0 += Int64(pause / .milliseconds(1)) }
                        time.advance(by: pause)
                    }
                    group.cancelAll()
                }
            }
        }
        return recorder.json
    }

    private static func values(_ json: JSONObject, _ name: String) -> [Double?]? {
        json["series"]?.array?.first { $0["name"]?.string == name }?["values"]?.array?.map { value in
            if case .double(let number) = value { number } else { nil }
        }
    }

    @Test("a rate is the growth of a counter a second, and has no value where the counter began again")
    func rates() async throws {
        let source = Source()
        source.set("c", 100)
        let series = [Series("rate", "r", in: "g", .rate("c")), Series("level", "l", in: "g", .sum("c"))]
        let json = try await Self.record(series, samples: 5, source) { sample in
            source.set("c", [150, 150, 20, 30][sample - 1])
            return nil
        }
        #expect(Self.values(json, "rate") == [nil, 5, 0, nil, 1])
        #expect(Self.values(json, "level") == [100, 150, 150, 20, 30])
        #expect(json["from"] == .integer(1_000_000) && json["interval"] == 10)
    }

    @Test("a pause of the machine leaves samples without a value, and rates take the time that has passed")
    func gaps() async throws {
        let source = Source()
        source.set("c", 0)
        let series = [Series("rate", "r", in: "g", .rate("c"))]
        let json = try await Self.record(series, samples: 4, source) { sample in
            source.set("c", Double(sample * 300))
            return sample == 2 ? .seconds(30) : nil
        }
        #expect(Self.values(json, "rate") == [nil, 30, nil, nil, 10, 30])
        #expect(json["from"] == .integer(1_000_000))
    }

    @Test("an hour of samples is kept and no more, also after a pause of days")
    func bounded() async throws {
        let source = Source()
        let series = [Series("level", "l", in: "g", .sum("c"))]
        let count = Limits.seriesSamplesKept + 40
        let json = try await Self.record(series, samples: count, source) { sample in
            source.set("c", Double(sample + 1))
            return nil
        }
        let values = try #require(Self.values(json, "level"))
        #expect(values.count == 360 && values.first == 41 && values.last == 400)
        #expect(json["from"] == .integer(1_000_000 + 40 * 10_000))
        let asleep = try await Self.record(series, samples: 3, source) { $0 == 2 ? .seconds(86_400 * 30) : nil }
        #expect(Self.values(asleep, "level")?.count == 360)
        #expect(Self.values(asleep, "level")?.compactMap(\.self).count == 1)
    }

    @Test("percentiles are those of the durations since the sample before")
    func quantiles() async throws {
        let source = Source()
        source.count("h", [("0.1", 1000), ("1.0", 1000), ("+Inf", 1000)])
        let series = [0.5, 0.99].map { Series($0 == 0.5 ? "p50" : "p99", "l", in: "g", .quantile("h", $0)) }
        let json = try await Self.record(series, samples: 4, source) { sample in
            switch sample {
            case 1: source.count("h", [("0.1", 1010), ("1.0", 1020), ("+Inf", 1020)])
            case 2: break
            default: source.count("h", [("0.1", 1010), ("1.0", 1020), ("+Inf", 1120)])
            }
            return nil
        }
        #expect(Self.values(json, "p50") == [nil, 0.1, nil, 1])
        let p99 = try #require(Self.values(json, "p99"))
        #expect(abs(try #require(p99[1]) - 0.982) < 0.001 && p99[3] == 1, "above the last bound it is the bound")
    }

    @Test("labels choose numbers; a family that nobody registered has no series")
    func labels() async throws {
        let source = Source()
        source.set(
            "lag",
            [
                .init(labels: [("stage", "match"), ("partition", "0")], value: 3),
                .init(labels: [("stage", "match"), ("partition", "1")], value: 5),
                .init(labels: [("stage", "push")], value: 90),
            ])
        let match = SeriesRule.Label("stage", "match")
        let series = [
            Series("sum", "s", in: "g", .sum("lag", match)), Series("peak", "p", in: "g", .peak("lag", match)),
            Series("none", "n", in: "g", .peak("lag", SeriesRule.Label("stage", "deliver"))),
            Series("absent", "a", in: "g", .sum("absent")), Series("absentRate", "a", in: "g", .rate("absent")),
        ]
        let json = try await Self.record(series, samples: 2, source) { _ in nil }
        #expect(json["series"]?.array?.compactMap { $0["name"]?.string } == ["sum", "peak"])
        #expect(Self.values(json, "sum") == [8, 8] && Self.values(json, "peak") == [5, 5])
    }

    @Test("series read metrics that the document has, and have names of their own")
    func catalogue() throws {
        let file = APIContract.file.deletingLastPathComponent().appendingPathComponent("metrics.md")
        let document = try String(contentsOf: file, encoding: .utf8)
        for series in Series.all {
            #expect(document.contains("`\(series.rule.family)`"), "\(series.name)")
        }
        #expect(Set(Series.all.map(\.name)).count == Series.all.count)
        for (group, members) in Dictionary(grouping: Series.all, by: \.group) {
            #expect(Set(members.map(\.unit)).count == 1, "\(group) has one unit")
        }
        #expect(Series.all.count >= 28)
    }

    @Test("the route answers what the process's recorder has")
    func route() async throws {
        try await ConsoleBench.run { bench in
            let answer = try await bench.ask("series")
            #expect(answer.json["interval"] == 10 && answer.json["series"]?.array != nil)
        }
    }
}
