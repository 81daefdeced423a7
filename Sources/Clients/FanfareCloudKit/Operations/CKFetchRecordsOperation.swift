import CloudModel
import Foundation

// What can change is guarded, as in the class above it.
/// Fetches records by their IDs.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The records to fetch.
    @CKGuarded open var recordIDs: [CKRecord.ID]? = nil
    /// The fields to fetch; nil is all.
    @CKGuarded open var desiredKeys: [CKRecord.FieldKey]? = nil
    /// Called with the part of a record's files that was received, from 0 to 1.
    @CKBlock open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)? = nil
    /// Called for each record.
    @CKBlock open var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)? = nil
    /// Called for each record, in CloudKit's older form.
    @CKBlock open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)? =
        nil
    @CKGuarded private var isForUser = false

    /// An operation that fetches records.
    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// An operation that fetches the user's own record, which is in the public database.
    open class func fetchCurrentUserRecord() -> CKFetchRecordsOperation { fetchCurrentUserRecordOperation() }

    /// An operation that fetches the user's own record, which is in the public database.
    open class func fetchCurrentUserRecordOperation() -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation()
        operation.isForUser = true
        return operation
    }

    private struct Outcome: Sendable {
        var records: [CKRecord.ID: CKRecord] = [:]
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
    }

    override func run() async {
        let outcome = Collected(Outcome())
        var failure: CKError?
        do {
            try Task.checkCancellation()
            var ids = recordIDs ?? []
            if isForUser {
                ids = [try await target.userRecordID()]
            }
            let fetch = RecordFetch(database: target, desiredKeys: desiredKeys) { [self] id, part in
                perRecordProgressBlock?(id, part)
            }
            try await fetch.records(ids) { [self] id, result in
                switch result {
                case .success(let record):
                    outcome.update { $0.records[id] = record }
                    perRecordCompletionBlock?(record, id, nil)
                case .failure(let error):
                    outcome.update { $0.errors.append((id, error)) }
                    perRecordCompletionBlock?(nil, id, error)
                }
                perRecordResultBlock?(id, result)
            }
        } catch {
            failure = CKError(error)
        }
        fetchRecordsResultBlock?(Self.result(failure))
        fetchRecordsCompletionBlock?(outcome.value.records, failure ?? Self.failure(outcome.value.errors))
    }
}

extension CKDatabase {
    /// The ID of the signed-in user's record.
    func userRecordID() async throws -> CKRecord.ID {
        let user = try await session.call { $0.user }
        guard let user else { throw CKError(.notAuthenticated, "nobody is signed in") }
        return CKRecord.ID(user: user.rawValue)
    }
}
