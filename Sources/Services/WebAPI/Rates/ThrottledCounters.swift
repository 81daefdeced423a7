import Telemetry

/// Counts refused requests by the exceeded measure.
struct ThrottledCounters: Sendable {
    private let measures: [RateMeasure: Counter]
    /// Streams, polls and web couriers that would have been held.
    let held: Counter

    /// Registers the counters.
    init() {
        measures = Dictionary(uniqueKeysWithValues: RateMeasure.allCases.map { ($0, Self.counter($0.name)) })
        held = Self.counter("held")
    }

    subscript(measure: RateMeasure) -> Counter { measures[measure] ?? held }

    private static func counter(_ measure: String) -> Counter {
        Counter(
            "fanfare_web_api_throttled_total", "Requests that were refused because their sender asks for too much.",
            labels: ["measure": measure])
    }
}
