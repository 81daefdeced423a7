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
    /// - Throws: `CKError` if no request was answered.
    func run(
        saving records: [CKRecord], deleting ids: [CKRecord.ID],
        finished: @Sendable (Item, Result<CKRecord?, any Error>) async -> Void
    ) async throws {
        // A share refers to its root record, which may be new itself.
        let saves = records.filter { !($0 is CKShare) } + records.filter { $0 is CKShare }
        let items = saves.map { Item.save($0) } + ids.map { Item.delete($0) }
        try OperationLimit.check(items, policy)
        try await Zoned(items, limit: .max, by: \.recordID.zoneID).each { zone, items in
            for (item, result) in try await results(of: items, in: zone) { await finished(item, result) }
        } failed: { item, error in
            await finished(item, .failure(error))
        }
    }

    private func results(
        of items: [Item], in zone: CKRecordZone.ID
    ) async throws -> [(Item, Result<CKRecord?, any Error>)] {
        let isAtomic = isAtomic && zone.zoneName != CKRecordZone.ID.defaultZoneName
        var prepared = try await prepare(items)
        let sending = RecordSending(database: database, zone: zone, isAtomic: isAtomic)
        var sent: (answers: [Result<RecordItem, CKError>], reader: RecordReader)?
        while sent == nil, prepared.contains(where: \.isSuccess), !isAtomic || prepared.allSatisfy(\.isSuccess) {
            let steps = prepared.compactMap { try? $0.get() }
            do {
                sent = try await sending.sendAll(steps)
            } catch let error as CKError where error.serverErrorCode == CloudErrorCode.badRequest.rawValue {
                // A value that is none makes the request unreadable: the item fails, not the others.
                let refused = prepared.map { $0.flatMap(\.checked) }
                guard refused.contains(where: { !$0.isSuccess }), !zip(prepared, refused).allSatisfy(Self.isSame) else {
                    throw error
                }
                prepared = refused
            }
        }
        guard let sent else {
            return zip(items, prepared).map { item, prepared in
                switch prepared {
                case .failure(let error): (item, .failure(error))
                case .success: (item, .failure(CKError(.batchRequestFailed, "another item of the request failed")))
                }
            }
        }
        return await finish(items, prepared, sent.answers, sent.reader)
    }

    private static func isSame(_ left: Result<Step, CKError>, _ right: Result<Step, CKError>) -> Bool {
        left.isSuccess == right.isSuccess
    }

    private func finish(
        _ items: [Item], _ prepared: [Result<Step, CKError>], _ answers: [Result<RecordItem, CKError>],
        _ reader: RecordReader
    ) async -> [(Item, Result<CKRecord?, any Error>)] {
        let steps = prepared.compactMap { try? $0.get() }
        let conflicts = await conflicts(steps, answers)
        var sent = zip(steps, answers).map { step, answer in
            answer.mapError { $0 as any Error }.flatMap { finish(step, $0, reader, conflicts) }
        }.makeIterator()
        var results: [(Item, Result<CKRecord?, any Error>)] = []
        for (item, prepared) in zip(items, prepared) {
            if case .failure(let error) = prepared {
                results.append((item, .failure(error)))
            } else if let result = sent.next() {
                results.append((item, result))
            }
        }
        return results
    }

    /// Uploads the files of each item, and encodes it.
    /// - Returns: the step of each item, or the item's own error.
    private func prepare(_ items: [Item]) async throws -> [Result<Step, CKError>] {
        let upload = AssetUpload(database: database, progressed: progressed)
        var prepared: [Result<Step, CKError>] = []
        for item in items {
            do {
                prepared.append(.success(try step(item, try await upload.run([item], policy))))
            } catch {
                let error = CKError(error)
                guard error.isOfItem else { throw error }
                prepared.append(.failure(error))
            }
        }
        return prepared
    }

    private func step(_ item: Item, _ uploads: [UploadKey: FieldContent]) throws(CKError) -> Step {
        switch item {
        case .delete(let id):
            return Step(
                item: item,
                operation: RecordOperation(kind: .forceDelete, recordName: try .checked(id.recordName)))
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
        _ step: Step, _ item: RecordItem, _ reader: RecordReader,
        _ conflicts: [CKRecord.ID: Result<CKRecord, any Error>]
    ) -> Result<CKRecord?, any Error> {
        guard case .save(let record) = step.item else {
            guard case .failed(_, let error) = item.result else { return .success(nil) }
            return .failure(CKError(FanfareError(error), ofItem: true))
        }
        do {
            record.adopt(try item.record(), from: reader, sent: step.sent)
        } catch {
            return .failure(failure(CKError(error), of: record, conflicts[record.recordID]))
        }
        progressed(record, 1)
        return .success(record)
    }

    /// The error of a record, with the versions of a conflict.
    private func failure(_ error: CKError, of record: CKRecord, _ found: Result<CKRecord, any Error>?) -> CKError {
        guard error.code == .serverRecordChanged else { return error }
        var details = error.details
        details.clientRecord = record
        details.ancestorRecord = record.ancestor
        switch found {
        case .success(let record)?: details.serverRecord = record
        // Without the service's version an app cannot merge: it gets the conflict from another attempt.
        case .failure(let error)?: if CKError(error).isForRetry { return CKError(error) }
        case nil: break
        }
        return CKError(error.code, details: details)
    }

    /// The service's versions of the records that somebody changed meanwhile, or why they could not be fetched.
    private func conflicts(
        _ steps: [Step], _ answers: [Result<RecordItem, CKError>]
    ) async -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let ids = zip(steps, answers).compactMap { step, answer -> CKRecord.ID? in
            guard case .success(let item) = answer, case .failed(_, let error) = item.result,
                error.code == .conflict || error.code == .exists, error.share == nil
            else {
                return nil
            }
            return step.item.recordID
        }
        let found = Collected<[CKRecord.ID: Result<CKRecord, any Error>]>([:])
        do {
            try await RecordFetch(database: database).records(ids) { id, result in found.update { $0[id] = result } }
        } catch {
            found.update { found in for id in ids where found[id] == nil { found[id] = .failure(error) } }
        }
        return found.value
    }
}
