import CloudModel
import Foundation

/// Saves and deletes records, zone by zone. After a lost answer it reads the state of the records before it sends
/// anything again, so that nothing is lost and nothing applied twice.
struct RecordModification: Sendable {
    /// One thing to do.
    enum Item: Sendable {
        case save(CKRecord)
        case delete(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .save(let record): record.recordID
            case .delete(let id): id
            }
        }
    }

    /// An item as it is sent.
    struct Step: Sendable {
        var item: Item
        var sent = CKRecord.Sent(fields: [:], isParentSent: false)
        var operation: RecordOperation
    }

    let database: CKDatabase
    var policy = CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged
    var isAtomic = true
    var progressed: @Sendable (CKRecord, Double) -> Void = { _, _ in }

    /// Sends all operations; each result is reported as it comes. A deletion has no record.
    /// - Throws: `CKError` if the only request failed as a whole.
    func run(
        saving records: [CKRecord], deleting ids: [CKRecord.ID],
        finished: @Sendable (Item, Result<CKRecord?, any Error>) async -> Void
    ) async throws {
        // A share refers to its root record, which may be new itself.
        let saves = records.filter { !($0 is CKShare) } + records.filter { $0 is CKShare }
        let items = saves.map { Item.save($0) } + ids.map { Item.delete($0) }
        try OperationLimit.check(items, policy)
        let batches = Zoned(items, limit: .max, by: \.recordID.zoneID).batches
        for (zone, items) in batches {
            do {
                try Task.checkCancellation()
                for (item, result) in try await results(of: items, in: zone) { await finished(item, result) }
            } catch {
                let error = CKError(error)
                guard batches.count > 1 else { throw error }
                for item in items { await finished(item, .failure(error)) }
            }
        }
    }

    private func results(
        of items: [Item], in zone: CKRecordZone.ID
    ) async throws -> [(Item, Result<CKRecord?, any Error>)] {
        let uploads = try await AssetUpload(database: database, progressed: progressed).run(items, policy)
        var steps: [Step] = []
        for item in items { steps.append(try step(item, uploads)) }
        let isAtomic = isAtomic && zone.zoneName != CKRecordZone.ID.defaultZoneName
        let sending = RecordSending(database: database, zone: zone, isAtomic: isAtomic)
        let (received, reader) = try await sending.send(steps)
        if isAtomic, let error = OperationLimit.error(of: received) { throw error }
        let conflicts = try await conflicts(steps, received, zone)
        var results: [(Item, Result<CKRecord?, any Error>)] = []
        for (step, item) in zip(steps, received) {
            results.append((step.item, finish(step, item, reader, conflicts)))
        }
        return results
    }

    private func step(_ item: Item, _ uploads: [UploadKey: FieldContent]) throws(CKError) -> Step {
        switch item {
        case .delete(let id):
            return Step(
                item: item,
                operation: RecordOperation(kind: .forceDelete, recordName: RecordName(trusted: id.recordName)))
        case .save(let record):
            var sent = record.parts(by: policy)
            for key in sent.fields.keys {
                if let uploaded = uploads[UploadKey(record: record.recordID, field: key)] {
                    sent.fields[key] = uploaded
                }
            }
            return Step(item: item, sent: sent, operation: try record.operation(sent, by: policy))
        }
    }

    private func finish(
        _ step: Step, _ item: RecordItem, _ reader: RecordReader, _ conflicts: [CKRecord.ID: CKRecord]
    ) -> Result<CKRecord?, any Error> {
        guard case .save(let record) = step.item else {
            guard case .failed(_, let error) = item.result else { return .success(nil) }
            return .failure(CKError(FanfareError(error), ofItem: true))
        }
        do {
            record.adopt(try item.record(), from: reader, sent: step.sent)
        } catch {
            let error = CKError(error)
            guard error.code == .serverRecordChanged else { return .failure(error) }
            var details = error.details
            details.clientRecord = record
            details.ancestorRecord = record.ancestor
            details.serverRecord = conflicts[record.recordID]
            return .failure(CKError(error.code, details: details))
        }
        progressed(record, 1)
        return .success(record)
    }

    /// The service's versions of the records that somebody changed meanwhile.
    private func conflicts(
        _ steps: [Step], _ items: [RecordItem], _ zone: CKRecordZone.ID
    ) async throws -> [CKRecord.ID: CKRecord] {
        let ids = zip(steps, items).compactMap { step, item -> CKRecord.ID? in
            guard case .failed(_, let error) = item.result, error.code == .conflict || error.code == .exists,
                error.share == nil
            else {
                return nil
            }
            return step.item.recordID
        }
        guard !ids.isEmpty else { return [:] }
        let found = Collected<[CKRecord.ID: CKRecord]>([:])
        try await RecordFetch(database: database).records(ids) { id, result in
            if let record = try? result.get() { found.update { $0[id] = record } }
        }
        return found.value
    }
}
