/// Numbers that go up and down, one for each current label. Named `fanfare_<service>_<noun>_<unit>`; meant for a
/// `static let`, which registers it for the life of the process.
package final class GaugeTable: Sendable {
    /// One of the numbers.
    package struct Row: Sendable {
        /// From a closed set only, never a user or a device.
        package var labels: [(String, String)]
        /// The number.
        package var value: Double

        package init(labels: [(String, String)], value: Double) {
            self.labels = labels
            self.value = value
        }
    }

    /// Registers a table.
    /// - Parameters:
    ///   - kind: `counter` where the numbers only grow.
    ///   - rows: asked whenever metrics are read.
    package init(
        _ name: StaticString, _ help: StaticString, kind: StaticString = "gauge", rows: @escaping @Sendable () -> [Row]
    ) {
        MetricRegistry.shared.register(name, help, kind.description) {
            rows().map { MetricRegistry.Sample(labels: $0.labels, value: $0.value) }
        }
    }
}
