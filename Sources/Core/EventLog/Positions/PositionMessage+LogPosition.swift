import ProtocolBuffers
import TextForms

extension SourcePositionMessage {
    /// The position as it is published.
    package init(_ position: SourcePosition) {
        self.init(
            origin: position.source.origin, incarnation: position.source.incarnation,
            partition: position.source.partition, offset: position.offset, index: position.index)
    }

    /// The position.
    package var position: SourcePosition {
        SourcePosition(
            source: SourceID(origin: origin, incarnation: incarnation, partition: partition), offset: offset,
            index: index)
    }
}

extension EntryMarkMessage {
    /// The mark as it is stored.
    package init(_ mark: EntryMark) { self.init(offset: mark.offset, hash: mark.hash) }

    /// The mark.
    package var mark: EntryMark { EntryMark(offset: offset, hash: hash) }
}

extension PositionMessage {
    /// The position as it is stored, its sources in the order in which they were first seen.
    package init(_ position: LogPosition) {
        self.init(
            offset: position.offset,
            seen: position.sources.compactMap { position.seen[$0].map { SourcePositionMessage($0) } },
            incarnation: position.incarnation, marks: position.marks.map { EntryMarkMessage($0) })
    }

    /// The position.
    package var position: LogPosition {
        LogPosition(
            offset: offset, inOrder: seen.map(\.position), incarnation: incarnation, marks: marks.map(\.mark))
    }
}

extension LogPosition {
    /// The position as text, for backends that store text beside a committed offset (Kafka: at most 4,096 bytes).
    package var metadata: String { Hexadecimal.encode(PositionMessage(self).encoded()) }

    /// Reads a position back; nil when the text is none of ours or belongs to another offset.
    package init?(metadata: String, offset: Int64) {
        guard !metadata.isEmpty, let bytes = Hexadecimal.decode(metadata),
            let message = try? PositionMessage(decoding: bytes), message.offset == offset
        else { return nil }
        self = message.position
    }
}
