package import EventLog

/// Headers for people who look at topics with ordinary Kafka tools: ours and CloudEvents' (1.0, Kafka binding). The
/// services read `traceparent`, by which nothing is decided, the name of a removal of an address of pushes, and of an entry
/// that is set aside, whose contents they do not read, the sequence of a device event and the name of a change.
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
        return text("fanfare-sequence", of: entry).flatMap { Int64($0) }
    }

    /// The name of a change, by its headers; nil for other entries, and for a change that is tried again.
    package static func changeName(of entry: LogEntry) -> SourcePosition? {
        text("fanfare-retry", of: entry) == nil ? storeName(of: entry, type: "change") : nil
    }

    /// The name of an address of pushes or of its removal, by its headers; nil for other entries.
    package static func pushAddressName(of entry: LogEntry) -> SourcePosition? {
        storeName(of: entry, type: "push-address")
    }

    /// The name that a store gave to an entry of a type, by its headers.
    private static func storeName(of entry: LogEntry, type: String) -> SourcePosition? {
        guard entry.headers.contains(LogHeader("fanfare-type", type)),
            let sequence = text("ce_id", of: entry).flatMap({ Int64($0) }), let source = text("ce_source", of: entry),
            let incarnation = source.split(separator: "@").last.flatMap({ UInt64($0, radix: 16) }),
            source == "\(SourceID.store(incarnation))"
        else { return nil }
        return SourcePosition(source: .store(incarnation), offset: sequence)
    }

    private static let traceparentName = "traceparent"

    /// The place in a trace that an entry's headers name; nil where there is none.
    package static func traceparent(of entry: LogEntry) -> String? { text(traceparentName, of: entry) }

    /// The header by which an entry names its place in a trace; empty where it has none.
    package static func ofTrace(_ entry: LogEntry) -> [LogHeader] {
        entry.headers.filter { $0.name == traceparentName }
    }

    private static func text(_ name: String, of entry: LogEntry) -> String? {
        entry.headers.last { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}
