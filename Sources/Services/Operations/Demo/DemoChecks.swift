/// Collects where what happened differs from what should have.
struct DemoChecks {
    private(set) var differences: [String] = []

    /// Compares two values; returns whether they are the same.
    @discardableResult
    mutating func same<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) -> Bool {
        guard found != wanted else { return true }
        differences.append("\(what): \(found) instead of \(wanted)")
        return false
    }

    /// Compares notifications whatever their order; names the first that are lost, not called for, or doubled.
    mutating func entries(_ what: String, _ found: [DemoExpectation.Entry], _ wanted: [DemoExpectation.Entry]) {
        var balance: [DemoExpectation.Entry: Int] = [:]
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
