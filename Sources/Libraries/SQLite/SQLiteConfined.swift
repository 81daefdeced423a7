/// A connection that is handed from thread to thread.
///
/// `@unchecked Sendable`: the sender no longer uses it, as a connection is for one thread at a time.
package final class SQLiteConfined: @unchecked Sendable {
    /// The connection, for its present owner.
    package let connection: SQLiteConnection

    /// Takes a connection that nobody else uses.
    package init(_ connection: SQLiteConnection) { self.connection = connection }
}
