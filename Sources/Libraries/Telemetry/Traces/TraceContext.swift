/// A place in a distributed trace, as W3C Trace Context names it: a trace, and a span of it that more spans are below.
package struct TraceContext: Hashable, Sendable {
    /// Bytes of a place in a message.
    private static let bytesCount = 24

    /// The place of the work that the task does; nil where it is in no trace, or in one that is not kept.
    @TaskLocal package static var current: TraceContext?

    /// The trace's ID, its halves.
    package let trace: (high: UInt64, low: UInt64)
    /// The span's ID; 0 where there is none yet.
    package let span: UInt64

    package init(trace: (high: UInt64, low: UInt64), span: UInt64) {
        self.trace = trace
        self.span = span
    }

    /// Reads a place from a message; nil where there is none.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.bytesCount else { return nil }
        func number(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(trace: (number(0), number(8)), span: number(16))
    }

    /// The place as messages carry it.
    package var bytes: [UInt8] {
        [trace.high, trace.low, span].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
    }

    /// The trace's ID in hexadecimal digits.
    package var traceID: String { Self.digits(trace.high) + Self.digits(trace.low) }

    /// The place as the header `traceparent` names it, in a trace that is kept.
    package var traceparent: String { "00-\(traceID)-\(Self.digits(span))-01" }

    /// A span's ID in hexadecimal digits.
    package static func digits(_ id: UInt64) -> String {
        let text = String(id, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// The place of a span below this one.
    package func below(_ span: UInt64) -> TraceContext { TraceContext(trace: trace, span: span) }

    package static func == (left: TraceContext, right: TraceContext) -> Bool {
        left.trace == right.trace && left.span == right.span
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(trace.low)
        hasher.combine(span)
    }
}
