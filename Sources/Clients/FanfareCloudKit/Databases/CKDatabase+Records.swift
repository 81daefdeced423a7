import CloudModel
import Foundation

extension CKDatabase {
    /// Fetches a record.
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        let results = try await records(for: [recordID])
        guard let result = results[recordID] else { throw CKError(.unknownItem, "the answer has no record") }
        return try result.get()
    }

    /// Fetches records; a result for each.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let found = Collected<[CKRecord.ID: Result<CKRecord, any Error>]>([:])
        do {
            try await RecordFetch(database: self, desiredKeys: desiredKeys).records(ids) { id, result in
                found.update { $0[id] = result }
            }
        } catch { throw CKError(error) }
        return found.value
    }

    /// Saves a record, unless somebody changed it meanwhile, and returns it as the service has it.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let results = try await modifyRecords(saving: [record], deleting: [])
        guard let result = results.saveResults[record.recordID] else {
            throw CKError(.internalError, "the answer has no record")
        }
        return try result.get()
    }

    /// Deletes a record, whatever version the service has.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let results = try await modifyRecords(saving: [], deleting: [recordID])
        try results.deleteResults[recordID]?.get()
        return recordID
    }

    /// Saves and deletes records; a result for each.
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let saved = Collected<[CKRecord.ID: Result<CKRecord, any Error>]>([:])
        let deleted = Collected<[CKRecord.ID: Result<Void, any Error>]>([:])
        do {
            try await RecordModification(database: self, policy: savePolicy, isAtomic: atomically).run(
                saving: recordsToSave, deleting: recordIDsToDelete
            ) { item, result in
                switch item {
                case .save(let record): saved.update { $0[record.recordID] = result.map { _ in record } }
                case .delete(let id): deleted.update { $0[id] = result.map { _ in } }
                }
            }
        } catch { throw CKError(error) }
        return (saved.value, deleted.value)
    }

    /// The first page of the records that satisfy a query; without a zone, of all zones.
    /// - Returns: the results in the query's order, and the place where the next page begins; nil after the last.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        try await records(
            continuingMatchFrom: CKQueryOperation.Cursor(query, zone: zoneID), desiredKeys: desiredKeys,
            resultsLimit: resultsLimit)
    }

    /// The next page of a query's records.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        do {
            let page = try await RecordFetch(database: self, desiredKeys: desiredKeys).page(
                of: queryCursor, limit: resultsLimit)
            return (page.results, page.cursor)
        } catch { throw CKError(error) }
    }

    /// All records that satisfy a query, as CloudKit's first years asked for them.
    public func perform(_ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        var page = try await records(matching: query, inZoneWith: zoneID)
        var results = try page.matchResults.map { try $0.1.get() }
        while let cursor = page.queryCursor {
            page = try await records(continuingMatchFrom: cursor)
            results += try page.matchResults.map { try $0.1.get() }
        }
        return results
    }
}
