import Synchronization

/// A number that only grows. Named `fanfare_<service>_<noun>_total`; meant for a `static let`, which registers it for
/// the life of the process.
package final class Counter: Sendable {
    private let value = Atomic<Int64>(0)

    /// Registers a counter.
    /// - Parameter labels: from a closed set only, never a user or a device.
    package init(_ name: StaticString, _ help: StaticString, labels: KeyValuePairs<StaticString, String> = [:]) {
        let pairs = labels.map { ($0.key.description, $0.value) }
        MetricRegistry.shared.register(name, help, "counter") { [self] in
            [MetricRegistry.Sample(labels: pairs, value: Double(count))]
        }
    }

    /// Adds to the count.
    package func increment(by amount: Int = 1) { value.wrappingAdd(Int64(amount), ordering: .relaxed) }

    /// The count.
    package var count: Int64 { value.load(ordering: .relaxed) }
}
