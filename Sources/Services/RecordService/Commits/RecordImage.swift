import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// A record with the bytes that it is stored and published as, so that neither is made from the other twice.
struct RecordImage: Hashable {
    let record: Record
    let body: [UInt8]

    /// The image of a record that is to be saved.
    init(_ record: Record) {
        self.record = record
        var writer = MessageWriter(capacityBytes: record.expectedBytes)
        RecordMessage(record).encode(into: &writer)
        body = writer.bytes
    }

    /// The image of a record as it is stored.
    init(stored body: [UInt8]) throws {
        record = try RecordMessage(decoding: body).record()
        self.body = body
    }
}

extension StoredRecord {
    /// The record.
    func record() throws -> Record { try RecordMessage(decoding: body).record() }
}

extension Record {
    /// About the bytes of its encoded form, or more: memory that grows while it is written costs more than the writing.
    fileprivate var expectedBytes: Int {
        fields.entries.reduce(512) { sum, entry in
            let own =
                switch entry.value {
                case .string(let text): text.utf8.count
                case .bytes(let bytes): bytes.count
                case .list(let elements, _): elements.count * 16
                default: 64
                }
            return sum + entry.name.rawValue.utf8.count + 32 + own
        }
    }
}
