import CPostgreSQL

/// The queued statements of a connection, and their answers.
///
/// Everything that is queued is sent at a flush at the latest, and ends with one synchronization: the server answers in
/// order, and after an error skips the rest.
final class Pipeline {
    private enum Expected {
        case preparation(name: String, attempt: String)
        case answer(PostgreSQLReply)
    }

    private let wire: Wire
    private let bytesMaximum: Int
    private var names = PreparedNames()
    private var expected: [Expected] = []
    private var queuedBytes = 0
    /// The first error of the last flush that the server reported for a statement and survived.
    private(set) var refusal: PostgreSQLError?

    init(_ wire: Wire, bytesMaximum: Int) {
        self.wire = wire
        self.bytesMaximum = bytesMaximum
    }

    /// True if nothing is queued.
    var isEmpty: Bool { expected.isEmpty }

    // MARK: Queueing

    /// Queues a statement, behind its preparation if this connection has not run it.
    func queue(_ statement: PostgreSQLStatement, _ values: [PostgreSQLValue]) throws -> PostgreSQLReply {
        let misuse = { PostgreSQLError(.misuse, $0, attempt: statement.name) }
        guard !statement.name.isEmpty, !statement.name.utf8.contains(0), !statement.sql.utf8.contains(0) else {
            throw misuse("a statement has an empty name, or a NUL")
        }
        guard values.count == statement.parameters.count else {
            throw misuse("\(values.count) values for \(statement.parameters.count) parameters")
        }
        for (number, (value, type)) in zip(values, statement.parameters).enumerated() {
            guard value.type == nil || value.type == type else { throw misuse("value \(number + 1) is no \(type)") }
        }
        let parameters = try parameters(values, statement.sql, attempt: statement.name)
        try enter(statement.name)
        guard let (name, isNew) = names.use(statement) else { throw misuse("two texts have this name") }
        if isNew {
            let types = statement.parameters.map { Oid($0.identifier) }
            let isQueued = PQsendPrepare(wire.handle, name, statement.sql, Int32(types.count), types) != 0
            guard isQueued else { throw wire.lose() }
            expected.append(.preparation(name: statement.name, attempt: statement.sql))
        }
        let isQueued = parameters.withArrays { PQsendQueryPrepared(wire.handle, name, $0, $1, $2, $3, 1) != 0 }
        guard isQueued else { throw wire.lose() }
        return expect(PostgreSQLReply(attempt: statement.name, name: statement.name), parameters.count)
    }

    /// Queues a statement of a text that is not kept.
    func queue(sql: String, _ values: [PostgreSQLValue]) throws -> PostgreSQLReply {
        let attempt = String(sql.prefix(200))
        guard !sql.utf8.contains(0), values.count <= 65_535 else {
            throw PostgreSQLError(.misuse, "a statement has a NUL, or too many parameters", attempt: attempt)
        }
        let parameters = try parameters(values, sql, attempt: attempt)
        try enter(attempt)
        // 0 for NULL: the server finds out its type.
        let types = values.map { Oid($0.type?.identifier ?? 0) }
        let isQueued = parameters.withArrays { PQsendQueryParams(wire.handle, sql, $0, types, $1, $2, $3, 1) != 0 }
        guard isQueued else { throw wire.lose() }
        return expect(PostgreSQLReply(attempt: attempt, name: nil), parameters.count + sql.utf8.count)
    }

    private func parameters(
        _ values: [PostgreSQLValue], _ sql: String, attempt: String
    ) throws -> ParameterBuffer {
        let left = bytesMaximum - queuedBytes - sql.utf8.count
        guard let buffer = ParameterBuffer(values, bytesMaximum: left) else {
            throw PostgreSQLError(.misuse, "more than \(bytesMaximum) bytes before a flush", attempt: attempt)
        }
        return buffer
    }

    private func enter(_ attempt: String) throws {
        if let loss = wire.loss { throw loss }
        guard PQpipelineStatus(wire.handle) == PQ_PIPELINE_OFF else { return }
        guard PQenterPipelineMode(wire.handle) != 0 else {
            throw PostgreSQLError(.misuse, "another request of the connection is under way", attempt: attempt)
        }
    }

    private func expect(_ reply: PostgreSQLReply, _ bytes: Int) -> PostgreSQLReply {
        expected.append(.answer(reply))
        queuedBytes += bytes
        return reply
    }

    // MARK: Flushing

    /// Sends the queued statements and reads all answers. The server's first error is in `refusal`; it skipped the
    /// rest.
    /// - Throws: the loss of the connection; replies that were not read have it, too.
    func flush() throws {
        let waiting = expected
        expected = []
        queuedBytes = 0
        refusal = nil
        do {
            guard PQpipelineSync(wire.handle) != 0 else { throw wire.lose() }
            wire.beginRoundTrip()
            try wire.flush()
            for element in waiting { try read(element) }
            try readSynchronization()
        } catch let error as PostgreSQLError {
            for case .answer(let reply) in waiting { reply.fill(.failure(error)) }
            throw error
        }
    }

    private func read(_ element: Expected) throws {
        let result = try wire.nextResult()
        switch element {
        case .preparation(let name, let attempt):
            if try error(of: result, attempt) != nil { names.forget(name) }
        case .answer(let reply):
            if let error = try error(of: result, reply.attempt) {
                reply.fill(.failure(error))
                if error.kind == .stalePlan, let name = reply.name { names.renew(name) }
            } else if let result {
                reply.fill(.success(result))
            }
        }
        guard try wire.nextResult() == nil else { throw wire.lose(.malformedAnswer, "two answers to one statement") }
    }

    /// The server's error of a result, nil for a success.
    /// - Throws: the loss of the connection.
    private func error(of result: PostgreSQLRows?, _ attempt: String) throws -> PostgreSQLError? {
        switch result?.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return nil
        case PGRES_PIPELINE_ABORTED:
            return PostgreSQLError(.skipped, "skipped after: \(refusal?.message ?? "an error")", attempt: attempt)
        case PGRES_FATAL_ERROR:
            let error = PostgreSQLError(result!.handle, attempt: attempt)
            if error.kind == .connectionLost { throw wire.lose(error) }
            refusal = refusal ?? error
            return error
        default: throw wire.lose(.malformedAnswer, "an answer of another kind")
        }
    }

    private func readSynchronization() throws {
        let result = try wire.nextResult()
        if result?.status == PGRES_PIPELINE_SYNC, PQexitPipelineMode(wire.handle) != 0 { return }
        // The end of the connection, if it is that.
        _ = try error(of: result, "flush")
        throw wire.lose(.malformedAnswer, "answers to more statements than were sent")
    }
}
