extension PostgreSQLConnection {
    /// Queues a statement for the next flush, which costs no round trip of its own.
    ///
    /// Statements of one flush that are in no transaction are one of their own. libpq sends them before the flush when
    /// they are many.
    /// - Throws: `PostgreSQLError`, before anything is sent.
    package func queue(_ statement: PostgreSQLStatement, _ values: PostgreSQLValue...) throws -> PostgreSQLReply {
        try pipeline.queue(statement, values)
    }

    /// Queues a statement with values in an array.
    package func queue(_ statement: PostgreSQLStatement, values: [PostgreSQLValue]) throws -> PostgreSQLReply {
        try pipeline.queue(statement, values)
    }

    /// Queues a statement that is run once, and is not kept.
    package func queue(sql: String, _ values: PostgreSQLValue...) throws -> PostgreSQLReply {
        try pipeline.queue(sql: sql, values)
    }

    /// Sends all queued statements and waits for their answers: one round trip, none if nothing is queued.
    /// - Throws: the error of the first statement that failed. Later ones were skipped.
    package func flush() throws { try flush(isProtected: false) }

    /// Runs a statement behind those that are queued, and returns its rows: one round trip.
    package func run(_ statement: PostgreSQLStatement, _ values: PostgreSQLValue...) throws -> PostgreSQLRows {
        let reply = try pipeline.queue(statement, values)
        try flush()
        return try reply.rows()
    }

    /// Runs a statement with values in an array, as `run` does.
    package func run(_ statement: PostgreSQLStatement, values: [PostgreSQLValue]) throws -> PostgreSQLRows {
        let reply = try pipeline.queue(statement, values)
        try flush()
        return try reply.rows()
    }

    /// Runs a statement that is not kept, as `run` does.
    package func query(_ sql: String, _ values: PostgreSQLValue...) throws -> PostgreSQLRows {
        let reply = try pipeline.queue(sql: sql, values)
        try flush()
        return try reply.rows()
    }

    /// Flushes.
    /// - Parameters:
    ///   - isProtected: whether it must not be cancelled.
    ///   - commit: the reply to a queued COMMIT, which is the last statement.
    func flush(isProtected: Bool, commit: PostgreSQLReply? = nil) throws {
        guard !pipeline.isEmpty else { return }
        if let loss = wire.loss { throw loss }
        let isWithinTransaction = (isInTransaction || isBeginQueued) && commit == nil
        do {
            try perform("flush", isProtected: isProtected) {
                isBeginQueued = false
                try pipeline.flush()
            }
        } catch var error as PostgreSQLError where isLost {
            // The commit was answered, and the connection ended afterwards.
            if commit?.isDone == true { return }
            error.isOutcomeUnknown = !isWithinTransaction && pipeline.refusal == nil
            throw error
        }
        if let refusal = pipeline.refusal { throw refusal }
    }
}
