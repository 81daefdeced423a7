package import EventLog

/// Headers for people who look at topics with ordinary Kafka tools: ours and CloudEvents' (1.0, Kafka binding). The
/// services read `traceparent`, by which nothing is decided, and the sequence of a device event that is set aside, whose
/// contents they do not read.
package struct OperatorHeaders: Sendable {
    private let source: String
    private let fixed: [LogHeader]

    /// Makes the headers that outputs of one kind and one source share.
    /// - Parameters:
    ///     - type: the event of the entries, such as `change`.
    ///     - source: the stage that writes them.
    package init(type: String, source: String) {
        self.source = source + ":"
        fixed = [
            LogHeader("fanfare-type", type),
            LogHeader("ce_specversion", "1.0"),
            LogHeader("ce_type", "fanfare.\(type)"),
            LogHeader("ce_source", source),
        ]
    }

    /// The headers of one output.
    /// - Parameters:
    ///   - id: its name at its source; both together name the entry, also when it is repeated.
    ///   - traceparent: the place in the trace that it is a part of (W3C Trace Context); nil where none is kept.
    package func headers(id: String, traceparent: String? = nil) -> [LogHeader] {
        var headers: [LogHeader] = []
        headers.reserveCapacity(fixed.count + 4)
        headers.append(LogHeader("fanfare-source", source + id))
        headers += fixed
        headers.append(LogHeader("ce_id", id))
        if let traceparent { headers.append(LogHeader(Self.traceparentName, traceparent)) }
        return headers
    }

    /// The headers of an output that has nothing in common with others.
    package static func make(type: String, source: String, id: String, traceparent: String? = nil) -> [LogHeader] {
        OperatorHeaders(type: type, source: source).headers(id: id, traceparent: traceparent)
    }

    /// The sequence of a device event, by its headers; nil for other entries.
    package static func deviceSequence(of entry: LogEntry) -> Int64? {
        guard entry.headers.contains(LogHeader("fanfare-type", "device")) else { return nil }
        return entry.headers.last { $0.name == "fanfare-sequence" }.flatMap {
            Int64(String(decoding: $0.value, as: UTF8.self))
        }
    }

    private static let traceparentName = "traceparent"

    /// The place in a trace that an entry's headers name; nil where there is none.
    package static func traceparent(of entry: LogEntry) -> String? {
        entry.headers.last { $0.name == traceparentName }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}
