extension PostgreSQLConnection {
    /// Runs `body` in a transaction and commits it with the statements that are queued then.
    ///
    /// The BEGIN goes with the first flush, and the COMMIT with the last: neither has a round trip of its own where
    /// there is something to send. What `body` throws rolls back.
    /// - Throws: what `body` and `commit` throw.
    package func transaction<Result>(
        _ kind: PostgreSQLTransaction = .serializable, _ body: () throws -> Result
    ) throws -> Result {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Queues the beginning of a transaction.
    package func begin(_ kind: PostgreSQLTransaction) throws {
        guard !isInTransaction, !isBeginQueued else {
            throw PostgreSQLError(.misuse, "a transaction is open", attempt: "begin")
        }
        // A statement before it would be in a transaction of its own that the BEGIN makes its own.
        try flush()
        _ = try queue(kind.begin)
        isBeginQueued = true
    }

    /// Commits, with the queued statements before it: one round trip. It is not cancelled once it is sent.
    /// - Throws: a `PostgreSQLError`, of kind `rolledBack` if an earlier error had ended the transaction. One with
    ///   `isOutcomeUnknown` leaves open whether it was committed; any other error means that it was not.
    package func commit() throws {
        guard isInTransaction || isBeginQueued else {
            throw PostgreSQLError(.misuse, "no transaction is open", attempt: "commit")
        }
        if canceller.isStopped { throw PostgreSQLError(.cancelled, "cancelled", attempt: "commit") }
        let reply = try queue(PostgreSQLTransaction.commit)
        try flush(isProtected: true, commit: reply)
        guard try reply.rows().command == "COMMIT" else {
            throw PostgreSQLError(.rolledBack, "the transaction had failed before", attempt: "commit")
        }
    }

    /// Rolls back, with the queued statements, after a cancellation too. A connection that cannot be rolled back is
    /// lost, and the server then rolls back.
    package func rollback() {
        // One that fails with the queued statements is skipped itself, and then goes alone.
        for _ in 0..<2 where !isLost && (isInTransaction || isBeginQueued) {
            do {
                _ = try queue(PostgreSQLTransaction.rollback)
                try flush(isProtected: true)
            } catch {}
        }
        if isInTransaction || !pipeline.isEmpty { wire.lose(.connectionLost, "it could not be rolled back") }
    }
}
