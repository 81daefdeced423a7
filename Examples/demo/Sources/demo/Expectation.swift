import Foundation

/// The notifications that must come, from an independent count: a line for each, with device, part of the play,
/// subscription and record name between tabs.
struct Expectation: Sendable {
    /// One notification that must come.
    struct Entry: Hashable, Sendable {
        let subscription: String
        let record: String
    }

    private struct WrongLine: Error { let line: String }

    private var entries: [String: [String: [Entry]]] = [:]

    init(_ file: URL) throws {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: "\t").map(String.init)
            guard cells.count == 4 else { throw WrongLine(line: String(line)) }
            entries[cells[0], default: [:]][cells[1], default: []].append(
                Entry(subscription: cells[2], record: cells[3]))
        }
    }

    /// The entries that a device must get in some parts of the play.
    func entries(_ device: String, _ parts: [String] = ["imported", "own", "rest"]) -> [Entry] {
        parts.flatMap { entries[device]?[$0] ?? [] }
    }
}

/// Collects differences between the actual and the expected notifications.
final class Checks {
    private(set) var differences: [String] = []

    /// Compares two values; returns whether they are the same.
    @discardableResult
    func same<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) -> Bool {
        guard found != wanted else { return true }
        differences.append("\(what): \(found) instead of \(wanted)")
        return false
    }

    /// Compares notifications in any order; names the first that are missing, unexpected or doubled.
    func entries(_ what: String, _ found: [Expectation.Entry], _ wanted: [Expectation.Entry]) {
        var balance: [Expectation.Entry: Int] = [:]
        for entry in wanted { balance[entry, default: 0] += 1 }
        for entry in found { balance[entry, default: 0] -= 1 }
        let lost = balance.filter { $0.value > 0 }.map(\.key.record).sorted()
        let extra = balance.filter { $0.value < 0 }.map(\.key.record).sorted()
        guard !lost.isEmpty || !extra.isEmpty else { return }
        var text = "\(what): \(found.count) notifications received, \(wanted.count) counted from the data"
        if !lost.isEmpty { text += "; missing: \(Self.some(lost))" }
        if !extra.isEmpty { text += "; too many: \(Self.some(extra))" }
        differences.append(text)
    }

    private static func some(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
    }
}
