/// A request to the writer, type-erased.
protocol Request: Sendable {
    /// Runs the body and keeps its result or error. Called once.
    func run(on connection: SQLiteConnection) throws
    /// Answers with the result that was kept: its transaction is on disk.
    func succeed()
    /// Answers with an error.
    func fail(_ error: any Error)
}

/// A request whose result is kept between its run and the commit; both happen on the writer's thread.
final class TypedRequest<Value: Sendable>: Request, @unchecked Sendable {
    private let body: @Sendable (SQLiteConnection) throws -> Value
    private let finish: @Sendable (Result<Value, any Error>) -> Void
    private var value: Value?

    init(
        body: @escaping @Sendable (SQLiteConnection) throws -> Value,
        finish: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.body = body
        self.finish = finish
    }

    func run(on connection: SQLiteConnection) throws { value = try body(connection) }
    func succeed() { finish(.success(value!)) }
    func fail(_ error: any Error) { finish(.failure(error)) }
}

extension SQLiteWriter {
    /// Runs a group in one transaction and answers its requests.
    static func run(_ group: [any Request], on connection: SQLiteConnection, undone: () -> Void) {
        do {
            let done = try runInTransaction(group, on: connection)
            for request in done { request.succeed() }
        } catch {
            // The transaction is gone, with everything in it: nothing of the group was saved.
            if !connection.isIdle { try? connection.execute("ROLLBACK") }
            undone()
            for request in group { request.fail(error) }
        }
    }

    /// Returns the requests that succeeded; the others have been answered.
    private static func runInTransaction(
        _ group: [any Request], on connection: SQLiteConnection
    ) throws -> [any Request] {
        var done: [any Request] = []
        var refused: [(any Request, any Error)] = []
        try connection.run("BEGIN IMMEDIATE")
        // Within a savepoint SQLite copies every page before it changes it. A request alone needs none: it is undone with
        // its transaction.
        if group.count == 1 {
            try group[0].run(on: connection)
            try connection.run("COMMIT")
            return group
        }
        for request in group {
            try connection.run("SAVEPOINT request")
            do {
                try request.run(on: connection)
                try connection.run("RELEASE request")
                done.append(request)
            } catch {
                guard !connection.isIdle else { throw error }
                try connection.run("ROLLBACK TO request")
                try connection.run("RELEASE request")
                refused.append((request, error))
            }
        }
        try connection.run("COMMIT")
        for (request, error) in refused { request.fail(error) }
        return done
    }
}
