import CloudJSON
import CloudModel
import Foundation
import Timing

/// Sends the operations of one zone until the service has answered each, or it is certain that it does not.
struct RecordSending: Sendable {
    typealias Step = RecordModification.Step

    let database: CKDatabase
    let zone: CKRecordZone.ID
    let isAtomic: Bool

    /// Sends operations, in one request where that is possible. Those that were too much together for a request that is not
    /// atomic go into further ones; if one of these is not answered, its operations have its error.
    /// - Throws: as `send` does; `limitExceeded` for an atomic request that is too much.
    func sendAll(
        _ steps: [Step]
    ) async throws -> (answers: [Result<RecordItem, CKError>], reader: RecordReader) {
        let (items, reader) = try await send(steps)
        if isAtomic {
            if let error = OperationLimit.error(of: items) { throw error }
            return (items.map { .success($0) }, reader)
        }
        var answers: [Result<RecordItem, CKError>] = items.map { .success($0) }
        var left = OperationLimit.leftOut(of: items)
        var count = steps.count
        // Each request does a part at least.
        while !left.isEmpty, left.count < count {
            do {
                let again = try await send(left.map { steps[$0] }).items
                for (place, item) in zip(left, again) { answers[place] = .success(item) }
                count = left.count
                left = OperationLimit.leftOut(of: again).map { left[$0] }
            } catch {
                let error = CKError(error)
                if error.code == .operationCancelled { throw error }
                for place in left { answers[place] = .failure(error) }
                break
            }
        }
        return (answers, reader)
    }

    /// Returns an item for each operation, in their order.
    /// - Throws: `CKError`: `serverResponseLost` if it is unknown which operations were applied.
    func send(_ steps: [Step]) async throws -> (items: [RecordItem], reader: RecordReader) {
        let configuration = database.session.configuration
        var schedule = RetrySchedule(
            attemptsMax: configuration?.attemptsMax ?? 1, pauseSecondsMax: configuration?.pauseSecondsMax ?? 0)
        let reader = try await database.session.call { [database] in database.reader($0) }
        var items: [RecordItem?] = Array(repeating: nil, count: steps.count)
        var isAnswerLost = false
        while true {
            let open = items.indices.filter { items[$0] == nil }
            do {
                let answered = try await answer(to: open.map { steps[$0] })
                for (index, item) in zip(open, answered) { items[index] = item }
                if isAnswerLost { try await settle(steps, &items, reader) }
                return (items.compactMap { $0 }, reader)
            } catch let error as CKError where error.mayHaveBeenDone {
                var generator = SystemRandomNumberGenerator()
                guard let pause = schedule.pause(retryAfter: error.retryAfterSeconds, using: &generator) else {
                    throw lost(error)
                }
                isAnswerLost = true
                try await Time.sleep(for: pause)
                let found = try await look(for: open.map { steps[$0] })
                for (index, item) in zip(open, found) { items[index] = done(steps[index], item, reader) }
                if items.allSatisfy({ $0 != nil }) { return (items.compactMap { $0 }, reader) }
            }
        }
    }

    private func answer(to steps: [Step]) async throws -> [RecordItem] {
        try await database.session.call(repeating: .ifNotDone) { [database, zone, isAtomic] signedIn in
            try await signedIn.service.modifyItems(
                steps.map(\.operation), in: database.scope, zone: try database.given(zone, signedIn), isAtomic: isAtomic
            )
        }
    }

    private func look(for steps: [Step]) async throws -> [RecordItem] {
        var items: [RecordItem] = []
        for start in stride(from: 0, to: steps.count, by: Limits.operationsMax) {
            let names = steps[start..<min(start + Limits.operationsMax, steps.count)].map {
                RecordName(trusted: $0.item.recordID.recordName)
            }
            items += try await database.session.call { [database, zone] signedIn in
                try await signedIn.service.lookUpItems(
                    names, in: database.scope, zone: try database.given(zone, signedIn))
            }
        }
        return items
    }

    /// Looks up items that were refused after a lost answer: the first request may have been slow, so that the second
    /// one met its changes. A refusal without a lost answer is final: the change is another user's, or an older one of
    /// the app.
    private func settle(_ steps: [Step], _ items: inout [RecordItem?], _ reader: RecordReader) async throws {
        let refused = items.indices.filter { items[$0]?.result.isFailure == true }
        guard !refused.isEmpty else { return }
        let found = try await look(for: refused.map { steps[$0] })
        for (index, item) in zip(refused, found) {
            if let done = done(steps[index], item, reader) { items[index] = done }
        }
    }

    /// The item of an operation that was done; nil if the record does not show that it was.
    private func done(_ step: Step, _ found: RecordItem, _ reader: RecordReader) -> RecordItem? {
        switch (step.item, found.result) {
        case (.delete(let id), .deleted): RecordItem(result: .deleted(RecordName(trusted: id.recordName)))
        case (.delete(let id), .failed(_, let error)) where error.code == .notFound:
            RecordItem(result: .deleted(RecordName(trusted: id.recordName)))
        case (.save(let local), .record(let noun))
        where noun.changeTag != local.recordChangeTag && noun.modified.user.rawValue == reader.user
            && isShown(step, noun, local, reader):
            found
        default: nil
        }
    }

    private func isShown(_ step: Step, _ noun: Record, _ local: CKRecord, _ reader: RecordReader) -> Bool {
        let contents = reader.contents(of: noun, in: zone)
        let isParentSame = !step.sent.isParentSent || noun.parent?.rawValue == local.parent?.recordID.recordName
        return isParentSame
            && step.sent.fields.allSatisfy { key, content in
                guard let content else { return contents[key] == nil }
                return contents[key].map { content.isSame(as: $0) } ?? content.isEmptyList
            }
    }

    private func lost(_ error: CKError) -> CKError {
        guard error.code == .networkFailure || error.serverErrorCode == nil else { return error }
        var details = error.details
        details.reason = "the answer was lost, and what it said cannot be found out: \(details.reason)"
        return CKError(.serverResponseLost, details: details)
    }
}

extension RecordModification.Step {
    /// The step, if the service can read its operation; otherwise the reason.
    var checked: Result<Self, CKError> {
        do {
            _ = try RecordOperationJSON.read(JSONPath(RecordOperationJSON.operation(operation)))
            return .success(self)
        } catch {
            return .failure(CKError(.invalidArguments, "\(item.recordID.recordName): \(error.reason)"))
        }
    }
}

extension Result {
    /// True for a success.
    var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension FieldContent {
    fileprivate var isEmptyList: Bool { self == .list([]) }
}
