/// A failed call of a transaction, by what its owner has to do next.
package enum KafkaTransactionError: Error, Sendable, Equatable {
    /// The call was out of turn, or what it was given cannot be sent; it changed nothing.
    case refused(KafkaError)
    /// The transaction has failed, and nothing of it will be seen: `abort`, then begin again. After a message that the
    /// broker refused, the next transaction may fail the same way, once.
    case abortable(KafkaError)
    /// Another producer took the transactional ID over: destroy this one, and make no other before the work is known to
    /// be ours again.
    case fenced(KafkaError)
    /// The outcome of the commit is unknown, or the producer cannot continue: destroy it, make a new one, whose
    /// `initTransactions` settles open transactions, and read the committed state.
    case indefinite(KafkaError)

    /// The error underneath.
    package var error: KafkaError {
        switch self {
        case .refused(let error), .abortable(let error), .fenced(let error), .indefinite(let error): error
        }
    }

    /// Indicates whether the producer is of no further use.
    package var isFinal: Bool {
        switch self {
        case .refused, .abortable: false
        case .fenced, .indefinite: true
        }
    }
}

extension KafkaTransactionError: CustomStringConvertible {
    /// The remedy, then the error underneath.
    package var description: String {
        switch self {
        case .refused(let error): "refused: \(error)"
        case .abortable(let error): "abort the transaction: \(error)"
        case .fenced(let error): "fenced by another producer, destroy this one: \(error)"
        case .indefinite(let error): "the outcome is unknown, destroy this producer and make a new one: \(error)"
        }
    }
}
