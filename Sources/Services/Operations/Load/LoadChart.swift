/// A chart of numbers over seconds, as SVG that needs nothing else.
struct LoadChart {
    /// One curve.
    struct Curve {
        let name: String
        let colour: String
        /// A number for each second; nil where there is none.
        let values: [Double?]
    }

    let title: String
    let unit: String
    let curves: [Curve]

    private static let width = 860.0
    private static let height = 240.0
    private static let left = 64.0
    private static let bottom = 28.0

    /// The chart with its title, axes and names of curves.
    var svg: String {
        let count = curves.map(\.values.count).max() ?? 0
        let highest = Self.rounded(curves.flatMap(\.values).compactMap { $0 }.max() ?? 1)
        var parts = [
            "<h2>\(title)</h2><svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"\(title)\">"
        ]
        for step in 0...4 {
            let value = highest * Double(step) / 4
            let y = place(value, highest)
            parts.append("<line class=\"grid\" x1=\"\(Self.left)\" x2=\"\(Self.width)\" y1=\"\(y)\" y2=\"\(y)\"/>")
            parts.append(
                "<text x=\"\(Self.left - 6)\" y=\"\(y + 4)\" class=\"scale\">\(LoadReport.format(value))</text>")
        }
        for step in 0...4 where count > 1 {
            let second = (count - 1) * step / 4
            parts.append(
                "<text x=\"\(across(second, count))\" y=\"\(Self.height - 8)\" class=\"second\">\(second) s</text>")
        }
        parts += curves.map { line($0, count, highest) } + ["</svg><p>"]
        parts += curves.map { "<b style=\"color:\($0.colour)\">— \($0.name)</b> " }
        return parts.joined() + "(\(unit))</p>"
    }

    /// A curve; seconds without a number break it.
    private func line(_ curve: Curve, _ count: Int, _ highest: Double) -> String {
        var path = ""
        var isOpen = false
        for (second, value) in curve.values.enumerated() {
            guard let value else {
                isOpen = false
                continue
            }
            path += "\(isOpen ? "L" : "M")\(across(second, count)) \(place(value, highest)) "
            // One point alone would not be seen.
            if !isOpen { path += "h0.5 " }
            isOpen = true
        }
        return "<path d=\"\(path)\" stroke=\"\(curve.colour)\"/>"
    }

    private func across(_ second: Int, _ count: Int) -> Double {
        tenths(Self.left + (Self.width - Self.left - 24) * Double(second) / Double(max(1, count - 1)))
    }

    private func place(_ value: Double, _ highest: Double) -> Double {
        tenths(8 + (Self.height - Self.bottom - 8) * (1 - value / highest))
    }

    private func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }

    /// The next number up that begins with 1, 2, or 5.
    private static func rounded(_ number: Double) -> Double {
        var unit = 1.0
        while unit * 10 <= number { unit *= 10 }
        while unit > number, unit > 1e-6 { unit /= 10 }
        return unit * ([1, 2, 5, 10].first { unit * $0 >= number } ?? 10)
    }
}
