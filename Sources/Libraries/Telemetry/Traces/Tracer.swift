import Synchronization

/// The spans of the process that were not exported yet. Off, it keeps nothing and costs one comparison; on, it drops
/// spans rather than block a caller.
package final class Tracer: Sendable {
    /// The tracer that the process's work is recorded with.
    package static let shared = Tracer()

    /// Spans that wait at most.
    package static let spansMax = 4096
    /// Counts spans, lost ones too.
    package static let recorded = Counter(
        "fanfare_traces_spans_total", "Spans of requests and stages whose trace is kept.")
    /// Counts spans that nobody got; exporters add theirs.
    package static let lost = Counter(
        "fanfare_traces_lost_spans_total",
        "Spans that were not exported, as there were too many or the collector took none.")

    private let active = Atomic(false)
    /// The share of requests without a trace of their own that begin one, in millionths.
    private let share = Atomic(0)
    private let spans = Mutex<[Span]>([])

    package init() {}

    /// Indicates whether spans are kept.
    package var isOn: Bool { active.load(ordering: .relaxed) }

    /// Begins to keep spans.
    /// - Parameter ratio: of requests that come without a trace, which share begins one: 0 to 1.
    package func start(ratio: Double) {
        _ = (Self.recorded, Self.lost)
        share.store(Int(ratio * 1_000_000), ordering: .relaxed)
        active.store(true, ordering: .relaxed)
    }

    /// Keeps spans no more.
    package func stop() { active.store(false, ordering: .relaxed) }

    /// The parent of a request's work; nil if its trace is not kept.
    /// - Parameter header: the request's `traceparent`, which decides whether its trace is kept.
    package func parent(_ header: String?) -> TraceContext? {
        guard isOn else { return nil }
        if let given = header.flatMap(TraceParent.init) { return given.isSampled ? given.context : nil }
        guard Int.random(in: 0..<1_000_000) < share.load(ordering: .relaxed) else { return nil }
        return TraceContext(trace: (.random(in: 1 ... .max), .random(in: 1 ... .max)), span: 0)
    }

    /// Keeps a span until it is taken; loses it where too many wait.
    package func record(_ span: Span) {
        guard isOn else { return }
        let isKept = spans.withLock { spans in
            guard spans.count < Self.spansMax else { return false }
            spans.append(span)
            return true
        }
        Self.recorded.increment()
        if !isKept { Self.lost.increment() }
    }

    /// Takes spans away, the oldest first.
    package func take(atMost count: Int) -> [Span] {
        spans.withLock { spans in
            let taken = Array(spans.prefix(count))
            spans.removeFirst(taken.count)
            return taken
        }
    }
}
