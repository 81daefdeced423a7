import CloudMessages
import CloudModel
import EventLog

/// Entries of one partition's hits that stage 1 is about to write.
struct MatchOutputs {
    /// Bytes of hits after which they are written, before the batch of changes is done.
    static let bytesMax = 8 << 20

    private let layout: TopicLayout
    private var headers: (source: SourceID, headers: OperatorHeaders)?
    private var entries: [OutgoingEntry] = []
    private var bytes = 0

    init(layout: TopicLayout) { self.layout = layout }

    /// Returns true if the entries are to be written before more are added.
    var isFull: Bool { bytes >= Self.bytesMax }

    /// Adds an entry of a change's hits.
    /// - Parameters:
    ///   - name: that of the change's first entry.
    ///   - traceparent: the place in the change's trace; nil where none is kept.
    mutating func add(
        _ made: HitEntries.Encoded, of change: Change, named name: SourcePosition, traceparent: String? = nil
    ) {
        let key = layout.userKey(made.user)
        bytes += made.value.count
        entries.append(
            OutgoingEntry(
                TopicPartition(layout.deliveries, layout.partition(of: key)), key: key, value: made.value,
                headers: headers(of: name.source).headers(id: "\(name.offset).\(made.index)", traceparent: traceparent)
                    + [LogHeader("fanfare-sequence", "\(change.sequence)")],
                timestamp: LogTimestamp(change.committed)))
    }

    private mutating func headers(of source: SourceID) -> OperatorHeaders {
        if let headers, headers.source == source { return headers.headers }
        let made = OperatorHeaders(type: "hits", source: "\(source)")
        headers = (source, made)
        return made
    }

    /// Returns all entries and forgets them.
    mutating func take() -> [OutgoingEntry] {
        defer { (entries, bytes) = ([], 0) }
        return entries
    }
}
