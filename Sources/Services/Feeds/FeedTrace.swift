import CloudMessages
import CloudModel
import EventLog
import Telemetry

/// The last span of a trace: a device reads of the change.
enum FeedTrace {
    /// The place in a trace that an entry carries; nil where there is none, or where this process keeps no traces.
    static func place(of entry: LogEntry) -> String? {
        Tracer.shared.isOn ? OperatorHeaders.traceparent(of: entry) : nil
    }

    /// Records that a device was handed a notification at this moment. Each delivery is a span of its own.
    static func record(_ notification: Notification) {
        guard let parent = notification.traceparent, Tracer.shared.isOn, let above = TraceParent(parent)?.context else {
            return
        }
        let now = WallClock.nanoseconds
        Tracer.shared.record(
            Span("read", .consumer, above.below(.random(in: 1 ... .max)), parent: above.span, start: now, end: now))
    }
}
