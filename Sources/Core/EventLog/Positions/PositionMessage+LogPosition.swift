import ProtocolBuffers

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

extension PositionMessage {
    /// The position as it is stored, its sources in the order in which they were first seen.
    package init(_ position: LogPosition) {
        self.init(
            offset: position.offset,
            seen: position.sources.compactMap { position.seen[$0].map { SourcePositionMessage($0) } },
            incarnation: position.incarnation)
    }

    /// The position.
    package var position: LogPosition {
        LogPosition(offset: offset, inOrder: seen.map(\.position), incarnation: incarnation)
    }
}

extension LogPosition {
    /// The position as text, for backends that store text beside a committed offset (Kafka: at most 4,096 bytes).
    package var metadata: String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = PositionMessage(self).encoded().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a position back; nil when the text is none of ours or belongs to another offset.
    package init?(metadata: String, offset: Int64) {
        let characters = Array(metadata.utf8)
        guard characters.count.isMultiple(of: 2), !characters.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: characters.count, by: 2) {
            let pair = String(decoding: characters[index...index + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        guard let message = try? PositionMessage(decoding: bytes), message.offset == offset else { return nil }
        self = message.position
    }
}
