import CPostgreSQL

/// One session with a server, used by one thread at a time. Its calls block, each for a bounded time.
///
/// Not `Sendable`: `PostgreSQLPool` lends it to one closure at a time. A failure that leaves the session in an unknown
/// state ends the connection: `isLost`.
package final class PostgreSQLConnection {
    let wire: Wire
    let pipeline: Pipeline
    /// Ends the running statement, from any thread.
    package let canceller: PostgreSQLCanceller
    /// The longest that an answer may take from now on.
    package var answerTimeout: Duration
    /// The server's version, such as 150018 for 15.18.
    package let serverVersion: Int
    /// The version of TLS, such as `TLSv1.3`; nil without TLS.
    package let tlsVersion: String?
    /// True while a transaction of this connection is open, as of the last answer.
    package private(set) var isInTransaction = false
    /// True if a BEGIN is queued.
    var isBeginQueued = false

    /// Opens a connection and sets the parameters of its session.
    /// - Throws: `PostgreSQLError`, of the last host if there are several.
    package static func open(_ configuration: PostgreSQLConfiguration) throws -> PostgreSQLConnection {
        let notices = NoticeHandler(configuration.notice)
        let handle = try ConnectionAttempt(configuration, notices).open()
        let wire = Wire(handle, notices, bytesMaximum: configuration.answerBytesMaximum)
        guard let canceller = PostgreSQLCanceller(handle) else {
            throw PostgreSQLError(.unreachable, "the server gave no key for cancelling", attempt: "connect")
        }
        let connection = PostgreSQLConnection(wire, canceller, configuration)
        for (name, value) in configuration.session {
            _ = try connection.queue(sql: "SELECT set_config($1, $2, false)", .text(name), .text(value))
        }
        try connection.flush()
        return connection
    }

    private init(_ wire: Wire, _ canceller: PostgreSQLCanceller, _ configuration: PostgreSQLConfiguration) {
        self.wire = wire
        self.canceller = canceller
        pipeline = Pipeline(wire, bytesMaximum: configuration.queueBytesMaximum)
        answerTimeout = configuration.answerTimeout
        serverVersion = Int(PQserverVersion(wire.handle))
        tlsVersion =
            PQsslInUse(wire.handle) == 0
            ? nil : PQsslAttribute(wire.handle, "protocol").map { String(cString: $0) } ?? "TLS"
    }

    /// Flushes whose answers were waited for: the round trips to the server since the opening.
    package var roundTrips: Int { wire.roundTrips }

    /// True once the connection cannot be used any more.
    package var isLost: Bool { wire.loss != nil }

    /// A parameter that the server reports by itself, such as `server_encoding` or `in_hot_standby`.
    package func parameter(_ name: String) -> String? {
        PQparameterStatus(wire.handle, name).map { String(cString: $0) }
    }

    /// Reads the bytes that came, without waiting. Returns false if the server has ended the connection.
    package func isAlive() -> Bool {
        if wire.poll() { return true }
        wire.lose()
        return false
    }

    /// Runs statements that return nothing of interest; several may be joined by semicolons and are one transaction
    /// where they have none of their own. One round trip, and one before it for queued statements.
    package func execute(_ sql: String) throws {
        try flush()
        try request(String(sql.prefix(200)), sql) {
            var failure: PostgreSQLError?
            while let result = try wire.nextResult() {
                switch result.status {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
                case PGRES_FATAL_ERROR:
                    failure = failure ?? PostgreSQLError(result.handle, attempt: String(sql.prefix(200)))
                default: throw wire.lose(.misuse, "a copy was started by a call that has none of its data")
                }
            }
            if let failure { throw failure }
        }
    }

    /// Sends a text by the simple protocol, and lets `body` read the answer.
    func request<Result>(_ attempt: String, _ sql: String, _ body: () throws -> Result) throws -> Result {
        guard !sql.utf8.contains(0) else { throw PostgreSQLError(.misuse, "a statement has a NUL", attempt: attempt) }
        if let loss = wire.loss { throw loss }
        let wasInTransaction = isInTransaction
        do {
            return try perform(attempt) {
                guard PQsendQuery(wire.handle, sql) != 0 else { throw wire.lose() }
                wire.beginRoundTrip()
                try wire.flush()
                return try body()
            }
        } catch var error as PostgreSQLError {
            if error.kind == .connectionLost { wire.lose(error) }
            error.isOutcomeUnknown = error.isOutcomeUnknown || (isLost && !wasInTransaction)
            throw error
        }
    }

    /// Runs one request: within its time, open to cancellation unless it is protected.
    func perform<Result>(_ attempt: String, isProtected: Bool = false, _ body: () throws -> Result) throws -> Result {
        try wire.begin(attempt, within: answerTimeout)
        try canceller.begin(isProtected: isProtected, attempt: attempt)
        defer {
            // The server goes on with a statement that nobody waits for.
            if wire.loss?.kind == .timedOut { canceller.abandon() } else { endCancellation() }
            isInTransaction = [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(wire.handle))
        }
        return try body()
    }

    private func endCancellation() {
        if !canceller.end() { wire.lose(.timedOut, "a cancellation did not end") }
    }
}
