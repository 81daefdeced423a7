import CloudModel
import RecordService
import RecordStore
import Telemetry
import WebAPI

/// An act of an operator that is put on record, refused ones too: in the store, by the transaction that does it, and in
/// the process's log.
struct OperatorActing: Sendable {
    private let action: OperatorAction
    private let scope: APIScope

    init(_ action: OperatorAction, _ scope: APIScope) {
        self.action = action
        self.scope = scope
    }

    /// Does the act.
    /// - Parameter inSteps: whether it has more than one transaction, so that the first one is not its end.
    func run<Result: Sendable>(inSteps: Bool, _ work: @Sendable () async throws -> Result) async throws -> Result {
        let act = StoreAct(action)
        do {
            // The intent comes before the first step, which may be on the log.
            if inSteps { act.committed(try await intend()) }
            let result = try await StoreAct.$current.withValue(act) { try await work() }
            // An act that changed nothing had no transaction.
            if inSteps || act.recorded == nil { try await finish(act, OperatorAction.done) }
            log(OperatorAction.done)
            return result
        } catch {
            let outcome = (error as? CloudError)?.code.rawValue ?? CloudErrorCode.internalError.rawValue
            log(outcome)
            do { try await finish(act, outcome) } catch {
                Log.error("operator.unrecorded", ["act": action.act, "request": action.request, "error": "\(error)"])
            }
            throw error
        }
    }

    /// Writes the act to the process's log.
    func log(_ outcome: String) {
        Log.info(
            "operator.act",
            [
                "operator": action.who, "role": action.role, "act": action.act, "scope": "\(scope.scope)",
                "request": action.request, "outcome": outcome,
            ])
    }

    private func intend() async throws -> Int64 {
        var intent = action
        intent.outcome = OperatorAction.begun
        return try await scope.records.store.write(in: .whole) { [intent] in try $0.add(intent) }
    }

    private func finish(_ act: StoreAct, _ outcome: String) async throws {
        var last = action
        last.outcome = outcome
        try await scope.records.store.write(in: .whole) { [last] transaction in
            if let number = act.recorded {
                try transaction.setOutcome(outcome, ofOperatorAction: number)
            } else {
                _ = try transaction.add(last)
            }
        }
    }
}
