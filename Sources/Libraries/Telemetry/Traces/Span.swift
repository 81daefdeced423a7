/// A piece of work in a trace, from its beginning to its end.
package struct Span: Sendable {
    /// The part that the work has between processes, by OTLP's numbers.
    package enum Kind: Int, Sendable {
        /// It answers a request.
        case server = 2
        /// It takes on what another process wrote.
        case consumer = 5
    }

    /// The kind of work, such as `records/modify`; never a user or a record.
    package var name: String
    /// Its part between processes.
    package var kind: Kind
    /// The trace, and this span's own ID.
    package var context: TraceContext
    /// The ID of the span above; 0 for none.
    package var parent: UInt64
    /// The beginning, in nanoseconds since 1970, UTC.
    package var start: Int64
    /// The end, likewise.
    package var end: Int64
    /// From closed sets.
    package var attributes: [(name: StaticString, value: String)] = []
    /// Indicates whether the work failed by a fault of the service's own.
    package var hasFailed = false

    package init(
        _ name: String, _ kind: Kind, _ context: TraceContext, parent: UInt64, start: Int64, end: Int64,
        attributes: [(name: StaticString, value: String)] = [], hasFailed: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.context = context
        self.parent = parent
        self.start = start
        self.end = end
        self.attributes = attributes
        self.hasFailed = hasFailed
    }

    /// A stage's work on an entry. Its ID is made of the entry's position, so that repeated work after a crash is the
    /// same span.
    /// - Parameters:
    ///     - trace: the trace in the entry.
    ///     - place: the partition and the offset of the entry.
    package init?(
        stage: StaticString, of trace: [UInt8], place: (partition: Int32, offset: Int64), start: Int64, end: Int64
    ) {
        guard let above = TraceContext(trace) else { return nil }
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in trace + Array("\(stage)/\(place.partition)/\(place.offset)".utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        self.init(
            stage.description, .consumer, above.below(max(1, hash)), parent: above.span, start: start, end: end,
            attributes: [("messaging.destination.partition.id", "\(place.partition)")])
    }
}
