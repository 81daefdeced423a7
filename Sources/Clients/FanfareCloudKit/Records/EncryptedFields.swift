import Synchronization

/// The encrypted fields of a record.
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
    /// The encrypted fields, for records of private and shared databases. Queries cannot search them, notifications
    /// never contain them, and they cannot store references or assets.
    ///
    /// The service encrypts and decrypts them, not the device: this is not end-to-end encryption.
    public var encryptedValues: any CKRecordKeyValueSetting { EncryptedFields(of: self) }
}

extension FieldContent {
    /// The content of a value that an app sets; `.unknown` for an unsupported type, which the save refuses.
    init(given object: any CKRecordValueProtocol) {
        self = FieldContent(any: object) ?? .unknown("\((object as? UnknownValue)?.type ?? "\(type(of: object))")")
    }
}
