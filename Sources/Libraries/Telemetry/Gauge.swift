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

/// One owner's share of a number of the process, which is exported as the sum.
package final class GaugeShare: Sendable {
    private let gauge: Gauge
    private let own = Mutex(0)

    package init(of gauge: Gauge) { self.gauge = gauge }

    deinit { gauge.add(-own.withLock { $0 }) }

    /// Sets what the owner has.
    package func set(_ number: Int) {
        own.withLock { own in
            gauge.add(number - own)
            own = number
        }
    }
}

/// The largest number of several owners in a process; 0 while there is none.
package final class PeakGauge: Sendable {
    private let numbers = Mutex<[ObjectIdentifier: Int]>([:])

    /// Registers a gauge.
    package init(_ name: StaticString, _ help: StaticString) {
        MetricRegistry.shared.register(name, help, "gauge") { [self] in
            [MetricRegistry.Sample(labels: [], value: Double(current))]
        }
    }

    /// Sets the number of an owner, who withdraws it before it goes.
    package func set(_ number: Int, of owner: AnyObject) { numbers.withLock { $0[ObjectIdentifier(owner)] = number } }

    /// Forgets the number of an owner.
    package func withdraw(_ owner: AnyObject) {
        _ = numbers.withLock { $0.removeValue(forKey: ObjectIdentifier(owner)) }
    }

    /// The largest number.
    package var current: Int { numbers.withLock { $0.values.max() ?? 0 } }
}
