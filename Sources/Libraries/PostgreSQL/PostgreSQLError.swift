/// A failure of a statement or of a connection.
///
/// Its description has no values of rows: those are in `detail`, which must not be logged.
package struct PostgreSQLError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failures.
    package enum Kind: Sendable, Equatable {
        /// 40001: the transaction conflicts with another one.
        case serializationFailure
        /// 40P01: the server ended a circle of waiting transactions.
        case deadlock
        /// The result of a prepared statement has other columns since the schema changed. It is prepared again.
        case stalePlan
        /// 55P03: a lock was not free in time.
        case lockTimeout
        /// 57014: the statement was cancelled, or took longer than `statement_timeout`.
        case cancelled
        /// 23505: a unique index has the key.
        case uniqueViolation
        /// 23: another constraint refused the row.
        case constraintViolation
        /// 25006: the server or the transaction takes no writes.
        case readOnly
        /// 42501: the role lacks a right.
        case insufficientRights
        /// 28: the server does not take the role or its password.
        case refusedCredentials
        /// 53: memory, disk or connections of the server are used up.
        case outOfResources
        /// 57P03: the server is starting, stopping or recovering.
        case notAccepting
        /// Another code of the server.
        case other
        /// No connection could be made.
        case unreachable
        /// The connection ended.
        case connectionLost
        /// The answer took too long. The connection is closed.
        case timedOut
        /// The answer has more bytes than allowed. The connection is closed.
        case answerTooLarge
        /// The server sent bytes that are not the protocol's. The connection is closed.
        case malformedAnswer
        /// A column has another type, or is NULL, or its bytes are not of its type.
        case unexpectedValue
        /// An earlier statement of the same flush failed, so that the server skipped this one.
        case skipped
        /// The transaction had failed before its commit, which therefore was a rollback.
        case rolledBack
        /// As many callers wait for a connection as may.
        case busy
        /// The connection or the pool was closed.
        case closed
        /// The call cannot be made as it is, and nothing was sent.
        case misuse
    }

    /// The kind, for deciding.
    package var kind: Kind
    /// The server's code of five letters and digits; nil for failures that the server did not report.
    package var sqlstate: String?
    /// The failure in words.
    package var message: String
    /// The server's detail, which may have values of rows.
    package var detail: String?
    /// The server's hint.
    package var hint: String?
    /// The name of the constraint that refused a row.
    package var constraint: String?
    /// The statement, or what else was attempted.
    package var attempt: String
    /// True if a commit may have happened: it was sent, and its answer was lost. Statements outside of a transaction
    /// commit by themselves.
    package var isOutcomeUnknown = false

    /// Returns true if nothing was committed and the same transaction may succeed when it is repeated, on another
    /// connection where this one was lost.
    package var isRetryable: Bool {
        let kinds: [Kind] = [
            .serializationFailure, .deadlock, .stalePlan, .connectionLost, .unreachable, .notAccepting,
        ]
        return kinds.contains(kind) && !isOutcomeUnknown
    }

    package var description: String {
        let code = sqlstate.map { " (\($0))" } ?? ""
        let outcome = isOutcomeUnknown ? "; it is unknown whether it was committed" : ""
        return "PostgreSQL: \(message)\(code)\(outcome) in: \(attempt)"
    }

    init(_ kind: Kind, _ message: String, sqlstate: String? = nil, attempt: String) {
        self.kind = kind
        self.sqlstate = sqlstate
        self.message = message
        self.attempt = attempt
    }
}
