import Synchronization

/// The encrypted fields of a record, which are read and set by name as its others are.
final class EncryptedFields: CKRecordKeyValueSetting, Sendable {
    private let record: CKRecord

    init(of record: CKRecord) { self.record = record }

    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        record.state.withLock { $0.fields[key] }.flatMap { $0.isEncrypted ? $0.value : nil }
    }

    func setObject(_ object: (any CKRecordValueProtocol)?, forKey key: CKRecord.FieldKey) {
        let content = object.map { FieldContent.encrypted(FieldContent(given: $0)) }
        record.state.withLock { state in
            state.fields[key] = content
            state.changed.insert(key)
        }
    }

    func allKeys() -> [CKRecord.FieldKey] {
        record.state.withLock { state in state.fields.keys.filter { state.isEncrypted($0) } }.sorted()
    }

    func changedKeys() -> [CKRecord.FieldKey] {
        record.state.withLock { state in state.changed.filter { state.isEncrypted($0) } }.sorted()
    }
}

extension CKRecord {
    /// The fields that the service keeps sealed: in private and shared databases, apart from the record's others. Nothing is
    /// searched for by them, and notifications never carry them. References and assets cannot be among them.
    ///
    /// The service seals and opens them, not the device: it is no end-to-end encryption.
    public var encryptedValues: any CKRecordKeyValueSetting { EncryptedFields(of: self) }
}

extension FieldContent {
    /// The content of a value that was given to a field; the save refuses what no field takes.
    init(given object: any CKRecordValueProtocol) {
        self = FieldContent(any: object) ?? .unknown("\((object as? UnknownValue)?.type ?? "\(type(of: object))")")
    }
}
