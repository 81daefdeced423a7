import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// Records count for the owner of their zone, in the public database for whoever made them.
extension RecordBatch {
    /// Whether there is room for a record as it is to be.
    func checkUsage(before: Record?, after: Record, bytes: Int) throws {
        let user = payer(of: after)
        try usage.check(before == nil ? 1 : 0, database == .public ? .publicRecords : .privateRecords, of: user)
        try usage.check(
            Int64(bytes - size(of: before)), database == .public ? .publicBytes : .privateBytes, of: user)
        try usage.check(after.assetBytes - (before?.assetBytes ?? 0), .assetBytes, of: user)
    }

    /// Counts a record that was saved or removed.
    /// - Parameter bytes: of its body as it is now; 0 when it is gone.
    func countUsage(before: Record?, after: Record?, bytes: Int) throws {
        guard let record = after ?? before else { return }
        let user = payer(of: record)
        let records: Int64 = (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
        try usage.add(records, database == .public ? .publicRecords : .privateRecords, of: user)
        try usage.add(Int64(bytes - size(of: before)), database == .public ? .publicBytes : .privateBytes, of: user)
        try usage.add((after?.assetBytes ?? 0) - (before?.assetBytes ?? 0), .assetBytes, of: user)
        sizes[record.name] = after == nil ? nil : bytes
    }

    private func payer(of record: Record) -> UserRecordName {
        database == .public ? record.created.user : zone.owner
    }

    /// Bytes of the body that was read, or would be written: both are the same.
    private func size(of record: Record?) -> Int {
        guard let record else { return 0 }
        return sizes[record.name] ?? RecordMessage(record).encoded().count
    }
}
