/// The state of a transactional producer: which calls are in turn, and what a failure of each means. Pure.
struct TransactionState {
    enum Operation: String {
        case initialise = "initialise transactions"
        case begin = "begin a transaction"
        case send = "send in a transaction"
        case sendOffsets = "send offsets in a transaction"
        case commit = "commit a transaction"
        case abort = "abort a transaction"
    }

    private enum Phase {
        case created
        case ready
        case open
        case failed(KafkaError)
        /// A commit or an abort is under way.
        case ending
        case ended(KafkaTransactionError)
    }

    private var phase = Phase.created
    /// Counts transactions, as a send may end after the transaction that it began in.
    private var transaction = 0

    /// Checks that an operation is in turn, and notes that a transaction is about to end. Returns the number of the
    /// transaction, for `finish`.
    mutating func start(_ operation: Operation) throws(KafkaTransactionError) -> Int {
        switch (phase, operation) {
        case (.created, .initialise), (.ready, .begin), (.open, .send), (.open, .sendOffsets): break
        case (.open, .commit), (.open, .abort), (.failed, .abort): phase = .ending
        case (.failed(let error), .send), (.failed(let error), .sendOffsets), (.failed(let error), .commit):
            throw .abortable(error)
        case (.ended(let error), _): throw error
        default: throw .refused(.state("could not \(operation.rawValue) while \(situation); call in turn"))
        }
        return transaction
    }

    /// Takes note of how an operation ended, and returns the error that its caller has to see.
    mutating func finish(
        _ operation: Operation, of transaction: Int, _ error: KafkaError?
    ) -> KafkaTransactionError? {
        guard let error else {
            succeed(operation)
            return nil
        }
        let outcome = Self.meaning(of: error, during: operation)
        switch (outcome, phase) {
        case (_, .ended(let first)): return first
        case (.fenced, _), (.indefinite, _): phase = .ended(outcome)
        case (.abortable, .open) where transaction == self.transaction: phase = .failed(error)
        case (.abortable, .ending) where operation == .commit: phase = .failed(error)
        // A send that fails because its transaction is being aborted, or was, changes nothing.
        default: break
        }
        return outcome
    }

    private mutating func succeed(_ operation: Operation) {
        switch (operation, phase) {
        case (_, .ended): break
        case (.initialise, _), (.commit, _), (.abort, _): phase = .ready
        case (.begin, _):
            phase = .open
            transaction += 1
        case (.send, _), (.sendOffsets, _): break
        }
    }

    /// By the flags of the error; the code only distinguishes fencing from other ends with the same consequence.
    private static func meaning(of error: KafkaError, during operation: Operation) -> KafkaTransactionError {
        if error.isFencing { return .fenced(error) }
        if error.isFatal { return .indefinite(error) }
        switch operation {
        case .send, .sendOffsets: return .abortable(error)
        case .commit where error.requiresAbort: return .abortable(error)
        // librdkafka lacks KIP-890: after a commit or abort of which the outcome is not known, its state and the
        // coordinator's may differ, so not even a retriable error is retried.
        case .initialise, .begin, .commit, .abort: return .indefinite(error)
        }
    }

    private var situation: String {
        switch phase {
        case .created: "transactions are not initialised"
        case .ready: "none is open"
        case .open: "one is open"
        case .failed: "one has failed"
        case .ending: "one is being ended"
        case .ended: "the producer has ended"
        }
    }
}
