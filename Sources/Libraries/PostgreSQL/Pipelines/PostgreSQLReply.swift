/// The answer to a queued statement, which the next flush fills in. For the thread of its connection.
package final class PostgreSQLReply {
    private var answer: Result<PostgreSQLRows, PostgreSQLError>?
    /// The statement in errors.
    let attempt: String
    /// The statement's own name; nil for a text that is not kept.
    let name: String?

    init(attempt: String, name: String?) {
        self.attempt = attempt
        self.name = name
    }

    /// The rows.
    /// - Throws: the statement's error; `skipped` if an earlier one of the flush failed; `misuse` before the flush.
    package func rows() throws -> PostgreSQLRows {
        guard let answer else { throw PostgreSQLError(.misuse, "read before the flush", attempt: attempt) }
        return try answer.get()
    }

    /// True once the statement was done.
    var isDone: Bool {
        if case .success = answer { return true }
        return false
    }

    func fill(_ answer: Result<PostgreSQLRows, PostgreSQLError>) { self.answer = self.answer ?? answer }
}
