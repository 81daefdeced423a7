/// The notifications that were counted from the data, beside those that came.
struct DemoTable {
    private var rows: [(subscription: String, device: String, counted: Int, received: Int)] = []

    mutating func add(_ subscription: String, _ device: String, counted: Int, received: Int) {
        rows.append((subscription, device, counted, received))
    }

    var lines: [String] {
        let head = Self.line("subscription", "device", "counted from the data", "notifications")
        return [head]
            + rows.map { row in
                Self.line(row.subscription, row.device, row.counted.grouped, row.received.grouped)
                    + (row.counted == row.received ? "  ✓" : "  ✗")
            }
    }

    private static func line(_ cells: String...) -> String {
        "  \(cells[0].padded(to: 14))\(cells[1].padded(to: 8))\(DemoTimeline.aligned(cells[2], 22))\(DemoTimeline.aligned(cells[3], 15))"
    }
}
