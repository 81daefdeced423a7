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
        body = RecordMessage(record).encoded()
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
