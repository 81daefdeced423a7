import CloudMessages
package import EventLog
package import Telemetry

extension LogEntry {
    /// The place in a trace that the entry carries; nil where no trace is kept.
    package var trace: TraceContext? {
        guard !headers.isEmpty else { return nil }
        return OperatorHeaders.traceparent(of: self).flatMap { TraceParent($0) }?.context
    }

    /// Works on the entry within its trace: log lines from meanwhile name it.
    package func inTrace<Result>(_ work: () throws -> Result) rethrows -> Result {
        guard let trace else { return try work() }
        return try TraceContext.$current.withValue(trace, operation: work)
    }
}
