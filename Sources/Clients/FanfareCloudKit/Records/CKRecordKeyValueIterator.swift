/// Iterates over the fields of a record and their values.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private var rest: ArraySlice<(CKRecord.FieldKey, any CKRecordValueProtocol)>

    init(_ record: CKRecord) {
        rest = record.allKeys().compactMap { key in record.object(forKey: key).map { (key, $0) } }[...]
    }

    /// The next field; nil after the last.
    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? { rest.popFirst() }
}

extension CKRecord: Sequence {
    /// The current fields with a value, by name; encrypted ones are in `encryptedValues`.
    public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}
