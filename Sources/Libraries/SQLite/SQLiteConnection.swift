import CSQLite

/// One connection to a database file, used by one thread at a time.
///
/// Statements are compiled once and kept by their text. Not `Sendable`: `SQLiteWriter` and `SQLiteReaders` hand it to
/// one closure at a time.
package final class SQLiteConnection {
    let handle: OpaquePointer
    /// The bytes that its statements have moved.
    package let moved = MovedBytes()
    private let logSize = LogSize()
    private var statements: [String: SQLiteStatement] = [:]
    /// Statements of texts that are many, while they are not in use.
    private var passing: [String: SQLiteStatement] = [:]
    /// The most of those, and the longest text of one.
    private static let passingMax = 64
    private static let passingTextMax = 4096

    /// The access of a connection.
    package enum Mode: Sendable { case readWrite, readOnly }

    /// Opens a file and tunes the connection.
    /// - Throws: `SQLiteError` that names the file.
    package static func open(_ configuration: SQLiteConfiguration, mode: Mode = .readWrite) throws -> SQLiteConnection {
        let access = mode == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(
            configuration.path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
            sqlite3_close_v2(handle)
            throw SQLiteError(code: result, message: message, attempt: "open \(configuration.path)")
        }
        let connection = SQLiteConnection(handle: handle)
        sqlite3_busy_timeout(handle, configuration.busyTimeoutMilliseconds)
        for pragma in configuration.pragmas(for: mode)
        where mode == .readWrite || !pragma.hasPrefix("PRAGMA journal_mode") {
            try connection.execute(pragma)
        }
        return connection
    }

    private init(handle: OpaquePointer) { self.handle = handle }

    deinit {
        for statement in statements.values { statement.finalize() }
        for statement in passing.values { statement.finalize() }
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing of interest; several may be joined by semicolons.
    package func execute(_ sql: String) throws {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql) }
    }

    /// The compiled statement of this text, reset and without bindings. It must be stepped to its end or reset before
    /// the closure that got the connection returns.
    package func statement(_ sql: String) throws -> SQLiteStatement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        let statement = try compile(sql)
        statements[sql] = statement
        return statement
    }

    /// Runs one statement with values for its parameters.
    package func run(_ sql: String, _ values: SQLiteValue...) throws {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Runs a query and turns each row into a value.
    package func query<Row>(
        _ sql: String, _ values: SQLiteValue..., read: (SQLiteStatement) throws -> Row
    ) throws -> [Row] {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var rows: [Row] = []
        while try statement.step() { rows.append(try read(statement)) }
        return rows
    }

    /// Runs a query and turns its first row into a value; nil when there is none.
    package func first<Row>(
        _ sql: String, _ values: SQLiteValue..., read: (SQLiteStatement) throws -> Row
    ) throws -> Row? {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        return try statement.step() ? try read(statement) : nil
    }

    /// Runs a query whose text is one of many, and whose statement is therefore not cached, until `row` returns false.
    package func visit(_ sql: String, _ values: [SQLiteValue], row: (SQLiteStatement) throws -> Bool) throws {
        let statement = try passing.removeValue(forKey: sql) ?? compile(sql)
        defer { keep(statement, sql) }
        try statement.bind(values)
        while try statement.step(), try row(statement) {}
    }

    private func compile(_ sql: String) throws -> SQLiteStatement {
        var compiled: OpaquePointer?
        let result = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard result == SQLITE_OK, let compiled else { throw error(result, sql) }
        return SQLiteStatement(handle: compiled, sql: sql, moved: moved)
    }

    /// Keeps a statement for the next query of its text; where they are too many, all others go.
    private func keep(_ statement: SQLiteStatement, _ sql: String) {
        statement.reset()
        // One of the same text may have been compiled meanwhile, by a query within this one.
        guard sql.utf8.count <= Self.passingTextMax, passing[sql] == nil else { return statement.finalize() }
        if passing.count >= Self.passingMax {
            for other in passing.values { other.finalize() }
            passing = [:]
        }
        passing[sql] = statement
    }

    /// Runs what may take long; statements within it fail with SQLITE_INTERRUPT soon after `shouldEnd` says so.
    package func interrupting<Result>(
        when shouldEnd: @escaping () -> Bool, _ body: () throws -> Result
    ) throws -> Result {
        let question = Question(shouldEnd)
        sqlite3_progress_handler(
            handle, Self.instructionsBetweenQuestions,
            { context in Unmanaged<Question>.fromOpaque(context!).takeUnretainedValue().ask() ? 1 : 0 },
            Unmanaged.passUnretained(question).toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try withExtendedLifetime(question) { try body() }
    }

    /// Instructions of SQLite's machine, some tenths of a millisecond.
    private static let instructionsBetweenQuestions: Int32 = 10_000

    private final class Question {
        let ask: () -> Bool
        init(_ ask: @escaping () -> Bool) { self.ask = ask }
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows that all statements since the connection was opened have changed.
    package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// The number of pages of the file that statements have looked at, from the cache or not: a measure of their work that
    /// does not depend on the machine.
    package var touchedPages: Int {
        [SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS].reduce(0) { sum, counter in
            var (count, highest) = (Int32(0), Int32(0))
            sqlite3_db_status(handle, counter, &count, &highest, 0)
            return sum + Int(count)
        }
    }

    /// Empties the write-ahead log: all of it is written into the file, and the log's file is cut to nothing. Outside
    /// of a transaction.
    /// - Returns: false if a reader or writer of another connection was in the way for longer than the busy timeout.
    package func truncateLog() throws -> Bool {
        var attempts = 0
        while true {
            let (isBusy, pages) =
                try first("PRAGMA wal_checkpoint(TRUNCATE)") { ($0.integer(0) != 0, $0.integer(1)) } ?? (true, 0)
            guard isBusy else { return true }
            attempts += 1
            // Another checkpoint, for which SQLite does not wait.
            guard pages < 0, attempts < Self.checkpointAttempts else { return false }
            sqlite3_sleep(Self.checkpointPauseMilliseconds)
        }
    }

    /// Attempts at a checkpoint while another one runs, and the pause between them.
    private static let checkpointAttempts = 250
    private static let checkpointPauseMilliseconds: Int32 = 20

    /// Writes the pages of the write-ahead log into the file, up to the first one that a reader must not see yet, and
    /// waits for nobody. Outside of a transaction.
    func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }

    /// From now on commits of this connection make no checkpoints: `logPages` says when one is due.
    func leaveCheckpoints() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                Unmanaged<LogSize>.fromOpaque(context!).takeUnretainedValue().pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(logSize).toOpaque())
    }

    /// The number of pages in the write-ahead log after the last commit, after `leaveCheckpoints`.
    var logPages: Int { logSize.pages }

    private final class LogSize {
        var pages = 0
    }

    /// The rowid of the last row inserted.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Indicates whether no transaction is open. SQLite ends one by itself after some errors (disk full, I/O).
    var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

    private func error(_ code: Int32, _ attempt: String) -> SQLiteError {
        SQLiteError(code: code, message: String(cString: sqlite3_errmsg(handle)), attempt: attempt)
    }
}
