import CloudModel

/// Cuts the long values of records for an answer whose request says how much of each it wants (`valueBytesMax`).
///
/// A record is cut as soon as it is read, so that an answer holds one whole record at a time. Encrypted fields that are
/// sealed in more bytes are opened for it, as the beginning of sealed bytes opens nothing.
struct ValueCutter: Sendable {
    /// Bytes of a value that are kept.
    let bytesMax: Int
    let seals: FieldSeals

    /// Cutter for a request.
    /// - Throws: `BAD_REQUEST` for a number of bytes that no value has.
    init?(_ bytesMax: Int?, _ seals: FieldSeals) throws(CloudError) {
        guard let bytesMax else { return nil }
        guard (1...Limits.recordBytesMax).contains(bytesMax) else {
            throw .badRequest("valueBytesMax is 1 to \(Limits.recordBytesMax), not \(bytesMax)")
        }
        self.bytesMax = bytesMax
        self.seals = seals
    }

    /// The record with its long values cut and marked.
    /// - Parameter bytes: of the record, of which those that are left out are taken.
    func cut(_ record: Record, _ bytes: inout Int) -> Record {
        var record = record
        var entries = record.fields.entries
        for place in entries.indices {
            let entry = entries[place]
            var value = entry.value
            if case .encrypted(.sealed(let sealed, as: _)) = value {
                guard sealed.count > bytesMax else { continue }
                // One that does not open stays as it is: the encoding answers an error in the record's place.
                guard let opened = try? seals.opened(record, wanted: [entry.name]).fields[entry.name] else { continue }
                value = opened
            }
            guard let cut = value.cut(to: bytesMax) else { continue }
            bytes -= max(0, cut.mark.bytes - cut.value.contentBytes)
            entries[place].value = cut.value
            record.cuts[entry.name] = cut.mark
        }
        if !record.cuts.isEmpty { record.fields = RecordFields(sorted: entries) }
        return record
    }
}

extension ValueCutter? {
    /// The record as an answer has it; whole without a cutter.
    func cut(_ record: Record, _ bytes: inout Int) -> Record {
        guard let self else { return record }
        return self.cut(record, &bytes)
    }
}
