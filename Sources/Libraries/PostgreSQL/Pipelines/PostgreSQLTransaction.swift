/// The kinds of transactions.
package enum PostgreSQLTransaction: Sendable, CaseIterable {
    /// Each statement sees all that was committed before it.
    case readCommitted
    /// All statements see one state, and the server refuses to write.
    case repeatableReadOnly
    /// As if transactions ran one after the other; the server refuses those that did not.
    case serializable
    /// The same without writes.
    case serializableReadOnly

    var begin: PostgreSQLStatement {
        switch self {
        case .readCommitted: PostgreSQLStatement("begin read committed", "BEGIN ISOLATION LEVEL READ COMMITTED")
        case .repeatableReadOnly:
            PostgreSQLStatement("begin repeatable read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        case .serializable: PostgreSQLStatement("begin serializable", "BEGIN ISOLATION LEVEL SERIALIZABLE")
        case .serializableReadOnly:
            PostgreSQLStatement("begin serializable read", "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY")
        }
    }

    static let commit = PostgreSQLStatement("commit", "COMMIT")
    static let rollback = PostgreSQLStatement("rollback", "ROLLBACK")
}
