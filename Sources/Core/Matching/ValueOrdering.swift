package import CloudModel

/// The order of values. Numbers and timestamps compare by their numeric value, exactly, whatever their
/// types; strings order by UTF-8 bytes; everything else has no order.
package enum ValueOrdering {
    /// Less, equal or greater.
    package enum Result: Sendable { case less, equal, greater }

    /// The order of two values; nil when they have none (different kinds, NaN, references, lists).
    package static func compare(_ left: FieldValue, _ right: FieldValue) -> Result? {
        switch (left, right) {
        case (.string(let a), .string(let b)): compareBytes(a, b)
        case (.double(let a), .double(let b)): compareDoubles(a, b)
        case (.double(let a), _): integer(right).flatMap { compare($0, to: a) }.map(reversed)
        case (_, .double(let b)): integer(left).flatMap { compare($0, to: b) }
        default:
            if let a = integer(left), let b = integer(right) { order(a, b) } else { nil }
        }
    }

    private static func integer(_ value: FieldValue) -> Int64? {
        switch value {
        case .int64(let number): number
        case .timestamp(let time): time.milliseconds
        default: nil
        }
    }

    private static func order(_ left: Int64, _ right: Int64) -> Result {
        left < right ? .less : left == right ? .equal : .greater
    }

    private static func compareDoubles(_ left: Double, _ right: Double) -> Result? {
        left < right ? .less : left == right ? .equal : left > right ? .greater : nil
    }

    /// Exact: an integer beyond 2^53 is not rounded to a double first.
    static func compare(_ left: Int64, to right: Double) -> Result? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = right.rounded(.towardZero)
        let order = order(left, Int64(whole))
        return order == .equal ? compareDoubles(0, right - whole) : order
    }

    private static func compareBytes(_ left: String, _ right: String) -> Result {
        if left.utf8.elementsEqual(right.utf8) { return .equal }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? .less : .greater
    }

    static func reversed(_ result: Result) -> Result {
        switch result {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}
