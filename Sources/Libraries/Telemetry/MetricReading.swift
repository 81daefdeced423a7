/// The values of all metrics of the process at one moment.
package struct MetricReading: Sendable {
    /// One number: the suffix of its family's name, its labels, and the value.
    package struct Number: Sendable {
        /// `_bucket`, `_sum` or `_count` of a histogram; empty of others.
        package var suffix: String
        package var labels: [(String, String)]
        package var value: Double

        package init(suffix: String = "", labels: [(String, String)] = [], value: Double) {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    /// The numbers by the name of their family.
    package var families: [String: [Number]]

    package init(families: [String: [Number]]) { self.families = families }

    /// The numbers of a family that have a label with a value; nil while nothing has registered the family.
    /// - Parameter label: nil for all numbers.
    package func numbers(_ family: String, where label: (name: String, value: String)? = nil) -> [Number]? {
        families[family].map { numbers in
            guard let label else { return numbers }
            return numbers.filter { $0.labels.contains { $0 == label.name && $1 == label.value } }
        }
    }
}

extension MetricRegistry {
    /// Reads the metrics of some families.
    package func reading(of names: Set<String>) -> MetricReading {
        MetricReading(
            families: samples(of: names).mapValues { samples in
                samples.map { MetricReading.Number(suffix: $0.suffix, labels: $0.labels, value: $0.value) }
            })
    }
}
