/// A statement that each connection prepares once, together with its first run, and then runs by its name.
package struct PostgreSQLStatement: Sendable {
    /// The name, one text a name within a connection.
    package let name: String
    /// The text, with `$1` and so on for parameters.
    package let sql: String
    /// The types of the parameters, in order.
    package let parameters: [PostgreSQLType]

    package init(_ name: String, _ sql: String, _ parameters: [PostgreSQLType] = []) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }
}

/// The statements that the server of a connection knows.
///
/// A plan that is stale is not deallocated, which a failed transaction could not do: the next run prepares the text
/// under another name, and the server forgets the old one with the connection.
struct PreparedNames {
    private struct Known {
        var sql: String
        var generation = 0
        var isPrepared = false
    }

    private var known: [String: Known] = [:]

    /// The server's name for a statement, and whether it has to be prepared first; nil if the name has another text.
    mutating func use(_ statement: PostgreSQLStatement) -> (name: String, isNew: Bool)? {
        var entry = known[statement.name] ?? Known(sql: statement.sql)
        guard entry.sql == statement.sql else { return nil }
        let isNew = !entry.isPrepared
        entry.isPrepared = true
        known[statement.name] = entry
        return (entry.generation == 0 ? statement.name : "\(statement.name)/\(entry.generation)", isNew)
    }

    /// Forgets a preparation that the server did not do.
    mutating func forget(_ name: String) { known[name]?.isPrepared = false }

    /// Lets the next run prepare the text once more, under another name.
    mutating func renew(_ name: String) {
        known[name]?.isPrepared = false
        known[name]?.generation += 1
    }
}
