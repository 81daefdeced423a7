/// The value of a `traceparent` header (W3C Trace Context, 3.2).
package struct TraceParent: Hashable, Sendable {
    /// The place of the caller's span.
    package let context: TraceContext
    /// Indicates whether the caller keeps the trace.
    package let isSampled: Bool

    /// Reads a header's value; nil where it is not well-formed, which is to be taken for none.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[2].count == 16, parts[3].count == 2,
            let version = Self.number(parts[0]), version != 0xFF, version != 0 || parts.count == 4,
            let high = Self.number(parts[1].prefix(16)), let low = Self.number(parts[1].dropFirst(16)), high | low != 0,
            let span = Self.number(parts[2]), span != 0, let flags = Self.number(parts[3])
        else { return nil }
        context = TraceContext(trace: (high, low), span: span)
        isSampled = flags & 1 != 0
    }

    /// Lower-case digits only, as the recommendation has it.
    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
