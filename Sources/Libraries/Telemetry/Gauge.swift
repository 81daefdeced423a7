import Synchronization

/// A number that goes up and down. Named `fanfare_<service>_<noun>_<unit>`.
package final class Gauge: Sendable {
    private let value = Atomic<Int64>(0)

    /// Registers a gauge.
    package init(_ name: StaticString, _ help: StaticString, labels: KeyValuePairs<StaticString, String> = [:]) {
        let pairs = labels.map { ($0.key.description, $0.value) }
        MetricRegistry.shared.register(name, help, "gauge") { [self] in
            [MetricRegistry.Sample(labels: pairs, value: Double(current))]
        }
    }

    /// Sets the number.
    package func set(_ number: Int) { value.store(Int64(number), ordering: .relaxed) }

    /// Adds to the number, or takes from it.
    package func add(_ amount: Int) { value.wrappingAdd(Int64(amount), ordering: .relaxed) }

    /// The number.
    package var current: Int64 { value.load(ordering: .relaxed) }
}
