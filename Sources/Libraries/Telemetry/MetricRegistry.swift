import Synchronization

/// All metrics of the process, rendered as Prometheus text.
package final class MetricRegistry: Sendable {
    /// The registry that metrics register with when they are made.
    package static let shared = MetricRegistry()

    private struct Family {
        var help: String
        var kind: String
        var series: [@Sendable () -> [Sample]] = []
    }

    /// One line of the exposition: the suffix of the family's name, its labels, and the value.
    struct Sample {
        var suffix = ""
        var labels: [(String, String)] = []
        var value: Double
    }

    private let families = Mutex<[String: Family]>([:])

    func register(
        _ name: StaticString, _ help: StaticString, _ kind: String, _ samples: @escaping @Sendable () -> [Sample]
    ) {
        families.withLock { families in
            families[name.description, default: Family(help: help.description, kind: kind)].series.append(samples)
        }
    }

    /// Every metric in Prometheus' text format 0.0.4, families in the order of their names.
    package func prometheusText() -> String {
        let families = families.withLock { $0 }
        var lines: [String] = []
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            lines.append("# HELP \(name) \(family.help)")
            lines.append("# TYPE \(name) \(family.kind)")
            for sample in family.series.flatMap({ $0() }) {
                lines.append("\(name)\(sample.suffix)\(Self.render(sample.labels)) \(Self.render(sample.value))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The current numbers of the families with these names.
    func samples(of names: Set<String>) -> [String: [Sample]] {
        let wanted = families.withLock { families in families.filter { names.contains($0.key) } }
        return wanted.mapValues { family in family.series.flatMap { $0() } }
    }

    /// The names of all metrics registered so far, with their help.
    package var catalogue: [(name: String, kind: String, help: String)] {
        families.withLock { families in
            families.map { ($0.key, $0.value.kind, $0.value.help) }.sorted { $0.0 < $1.0 }
        }
    }

    private static func render(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.map { name, value in "\(name)=\"\(escaped(value))\"" }
        return "{\(pairs.joined(separator: ","))}"
    }

    private static func escaped(_ value: String) -> String {
        // Hardly any has something to escape.
        guard
            value.utf8.contains(where: {
                $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\n")
            })
        else { return value }
        // By scalars: "\r\n" is one character.
        return value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func render(_ value: Double) -> String {
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}
