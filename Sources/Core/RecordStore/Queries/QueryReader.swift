package import CloudModel

/// Reads of queries. The store knows keys and words; what they mean for fields and predicates is the caller's
/// responsibility.
package protocol QueryReader {
    /// The limits of the store.
    var capabilities: StoreCapabilities { get }

    /// The indexes of a record type; nil when the schema does not know it.
    func indexes(of type: RecordType) throws -> TypeIndexes?

    /// The zones of an owner in a database that hold records.
    func zonesWithRecords(of owner: UserRecordName, in database: DatabaseScope) throws -> [ZoneID]

    /// All zones of a database that were created or hold records, of all owners.
    func zones(in database: DatabaseScope) throws -> [ZoneID]

    /// The number of records that a condition finds, counted no further than `limit`; a record may count twice.
    func count(_ condition: IndexCondition, in scan: IndexScan, limit: Int) throws -> Int

    /// Walks over records in the order of the scan until `visit` returns false.
    func scan(_ scan: IndexScan, visit: (ScannedRecord) throws -> Bool) throws
}

/// Writes of records with their index rows.
package protocol QueryTransaction: QueryReader {
    /// Saves a record in place of the old one, with its index rows. Only index rows that differ are written.
    func save(_ record: StoredRecord, index: RecordIndex) throws

    /// Sets the indexes of a field or system field in the schema. Rows of records that exist are not touched:
    /// saving them again is the caller's responsibility.
    func setIndexes(_ indexes: FieldIndexes, of field: FilterField, in type: RecordType) throws
}

extension QueryTransaction {
    /// Saves a record that only its name finds.
    package func save(_ record: StoredRecord) throws { try save(record, index: RecordIndex()) }
}
