public import Foundation

// What can change is guarded, as in the class above it.
/// Saves and deletes records.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The ways in which a save deals with what others changed, by CloudKit's numbers.
    public enum RecordSavePolicy: Int, Sendable {
        /// A record that somebody changed meanwhile is refused; changed fields are sent.
        case ifServerRecordUnchanged = 0
        /// Changed fields are saved whatever the service has.
        case changedKeys = 1
        /// All fields are saved whatever the service has; fields that the record does not have stay.
        case allKeys = 2
    }

    /// The records to save.
    @CKGuarded open var recordsToSave: [CKRecord]? = nil
    /// The records to delete.
    @CKGuarded open var recordIDsToDelete: [CKRecord.ID]? = nil
    /// The way to deal with what others changed.
    @CKGuarded open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    /// True to save all records of a custom zone or none.
    @CKGuarded open var isAtomic = true
    /// Has no effect here: CloudKit's clients of old kept a note in it.
    @CKGuarded open var clientChangeTokenData: Data? = nil
    /// Called with the part of a record that was sent, from 0 to 1.
    @CKBlock open var perRecordProgressBlock: ((CKRecord, Double) -> Void)? = nil
    /// Called for each save.
    @CKBlock open var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)? = nil
    /// Called for each deletion.
    @CKBlock open var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)? = nil
    /// Called for each save, in CloudKit's older form.
    @CKBlock open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)? = nil
    /// Called at the end.
    @CKBlock open var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)? = nil
    /// Called at the end, in CloudKit's older form.
    @CKBlock open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)? = nil

    /// An operation that saves and deletes records.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    private struct Outcome: Sendable {
        var saved: [CKRecord] = []
        var deleted: [CKRecord.ID] = []
        var errors: [(id: any Hashable & Sendable, error: any Error)] = []
    }

    override func run() async {
        let outcome = Collected(Outcome())
        var failure: CKError?
        do {
            let modification = RecordModification(database: target, policy: savePolicy, isAtomic: isAtomic) {
                [self] record, part in
                perRecordProgressBlock?(record, part)
            }
            try await modification.run(saving: recordsToSave ?? [], deleting: recordIDsToDelete ?? []) {
                [self] item, result in
                callBlocks(item, result, outcome)
            }
        } catch {
            failure = CKError(error)
        }
        let modified = outcome.value
        modifyRecordsResultBlock?(Self.result(failure))
        modifyRecordsCompletionBlock?(modified.saved, modified.deleted, failure ?? Self.failure(modified.errors))
    }

    private func callBlocks(
        _ item: RecordModification.Item, _ result: Result<CKRecord?, any Error>, _ outcome: Collected<Outcome>
    ) {
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        if let error { outcome.update { $0.errors.append((item.recordID, error)) } }
        switch item {
        case .save(let record):
            if error == nil { outcome.update { $0.saved.append(record) } }
            perRecordSaveBlock?(record.recordID, result.map { _ in record })
            perRecordCompletionBlock?(record, error)
        case .delete(let id):
            if error == nil { outcome.update { $0.deleted.append(id) } }
            perRecordDeleteBlock?(id, result.map { _ in })
        }
    }
}

/// The older name of a save's policy.
public typealias CKRecordSavePolicy = CKModifyRecordsOperation.RecordSavePolicy
