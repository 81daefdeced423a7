import CloudMessages
import ProtocolBuffers

extension ChangeEvent {
    /// The encoded message with records that are encoded already, each in its place.
    func encoded(before: [UInt8]?, after: [UInt8]?) -> [UInt8] {
        // Fields are in the order of their numbers: those below the records', the records, those above.
        let head = ChangeEvent(source: source, database: database, kind: kind)
        let tail = ChangeEvent(
            committed: committed, origin: origin, zone: zone, participants: participants, reader: reader,
            trace: trace)
        var writer = MessageWriter(capacityBytes: 256 + (before?.count ?? 0) + (after?.count ?? 0))
        head.encode(into: &writer)
        if let before { writer.write(before, field: 5) }
        if let after { writer.write(after, field: 6) }
        tail.encode(into: &writer)
        return writer.bytes
    }
}
