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

/// The requests of one transaction.
final class RequestGroup {
    private let connection: SQLiteConnection
    /// True if nothing else waited: within a savepoint SQLite copies every page before it changes it, and a single
    /// request needs none, as it is undone with its transaction.
    private let isAlone: Bool
    private var taken: [any Request] = []
    private var done: [any Request] = []
    private var refused: [(request: any Request, error: any Error)] = []

    init(_ connection: SQLiteConnection, isAlone: Bool) {
        self.connection = connection
        self.isAlone = isAlone
    }

    /// Runs requests in one transaction and answers them.
    /// - Parameters:
    ///   - undone: called when the whole transaction was undone.
    ///   - next: takes the next request; nil ends the group.
    ///   - ran: gets the key of a request that ran, and the bytes that it moved.
    func run(
        undone: () -> Void, next: () -> (key: String, request: any Request)?, ran: (String, Int) -> Void
    ) {
        do {
            try connection.run("BEGIN IMMEDIATE")
            while let (key, request) = next() {
                let before = connection.moved.count
                defer { ran(key, connection.moved.count - before) }
                taken.append(request)
                try run(request)
            }
            try connection.run("COMMIT")
            for (request, error) in refused { request.fail(error) }
            for request in done { request.succeed() }
        } catch {
            // The transaction is gone, with everything in it: nothing of the group was saved.
            if !connection.isIdle { try? connection.execute("ROLLBACK") }
            undone()
            // Without a transaction none of them can run.
            if taken.isEmpty { while let (_, request) = next() { taken.append(request) } }
            for request in taken { request.fail(error) }
        }
    }

    private func run(_ request: any Request) throws {
        guard !isAlone else {
            try request.run(on: connection)
            done.append(request)
            return
        }
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
}
