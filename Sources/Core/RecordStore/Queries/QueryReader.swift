package import CloudModel

/// What queries ask of a store. It knows keys and words; what they mean for fields and predicates is the caller's affair.
package protocol QueryReader {
    /// The indexes of a record type; nil when the schema does not know it.
    func indexes(of type: RecordType) throws -> TypeIndexes?

    /// The zones of an owner in a database that hold records.
    func zonesWithRecords(of owner: UserRecordName, in database: DatabaseScope) throws -> [ZoneID]

    /// All zones of a database that were made or hold records, whoever owns them.
    func zones(in database: DatabaseScope) throws -> [ZoneID]

    /// How many records a condition finds, counted no further than `limit`; a record may count twice.
    func count(_ condition: IndexCondition, in scan: IndexScan, limit: Int) throws -> Int

    /// Walks over records in the order of the scan until `visit` returns false.
    func scan(_ scan: IndexScan, visit: (ScannedRecord) throws -> Bool) throws
}

/// What queries change in a store.
package protocol QueryTransaction: QueryReader {
    /// Saves a record in place of what was there, with what it is found by. Only index rows that differ are written.
    func save(_ record: StoredRecord, index: RecordIndex) throws

    /// Sets the indexes of a field or system field in the schema. Rows of records that exist are not touched:
    /// whoever changes indexes saves them again.
    func setIndexes(_ indexes: FieldIndexes, of field: FilterField, in type: RecordType) throws
}

extension QueryTransaction {
    /// Saves a record that only its name finds.
    package func save(_ record: StoredRecord) throws { try save(record, index: RecordIndex()) }
}
