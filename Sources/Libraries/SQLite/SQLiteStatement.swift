import CSQLite

/// A compiled statement of a connection, with its parameters (from 1) and columns (from 0). Not `Sendable`.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let sql: String
    private let moved: MovedBytes

    init(handle: OpaquePointer, sql: String, moved: MovedBytes) {
        self.handle = handle
        self.sql = sql
        self.moved = moved
    }

    func finalize() { sqlite3_finalize(handle) }

    /// Goes to the next row; false at the end.
    /// - Throws: `SQLiteError`, and `SQLiteBytesExceeded` once the work has moved more than it may.
    package func step() throws -> Bool {
        try moved.add(MovedBytes.ofRow)
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let failure = error(code)
            sqlite3_reset(handle)
            throw failure
        }
    }

    /// Runs a statement that returns no rows, and makes it ready for the next bindings.
    package func execute() throws {
        while try step() {}
        sqlite3_reset(handle)
    }

    /// Runs a statement that returns no rows with one more parameter bound to bytes, which SQLite does not copy, and makes it
    /// ready for the next bindings.
    package func execute(_ bytes: [UInt8], at index: Int32) throws {
        moved.count += bytes.count
        // An address of nothing would be NULL.
        guard !bytes.isEmpty else {
            try check(sqlite3_bind_zeroblob(handle, index, 0))
            return try execute()
        }
        try bytes.withUnsafeBytes { bytes in
            // Without a destructor: the bytes stay where they are until the statement is reset.
            try check(sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil))
            defer {
                sqlite3_reset(handle)
                sqlite3_bind_null(handle, index)
            }
            while try step() {}
        }
    }

    /// Makes the statement ready to run again, without bindings.
    package func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Binds all parameters in order.
    package func bind(_ values: [SQLiteValue]) throws {
        for (offset, value) in values.enumerated() { try bind(value, at: Int32(offset + 1)) }
    }

    /// Binds one parameter; the first is 1.
    package func bind(_ value: SQLiteValue, at index: Int32) throws {
        switch value {
        case .null: try check(sqlite3_bind_null(handle, index))
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try check(sqlite3_bind_double(handle, index, number))
        case .text(let text): try bind(text, at: index)
        case .blob(let bytes): try bind(bytes, at: index)
        }
    }

    /// Binds an integer.
    package func bind(_ number: Int64, at index: Int32) throws {
        try check(sqlite3_bind_int64(handle, index, number))
    }

    /// Binds a text; NUL within it is kept.
    package func bind(_ text: String, at index: Int32) throws {
        var text = text
        try check(
            text.withUTF8 { bytes in
                moved.count += bytes.count
                return bytes.withMemoryRebound(to: CChar.self) { characters in
                    fanfare_sqlite_bind_text(handle, index, characters.baseAddress, UInt64(bytes.count))
                }
            })
    }

    /// Binds bytes.
    package func bind(_ bytes: [UInt8], at index: Int32) throws {
        moved.count += bytes.count
        try check(
            bytes.withUnsafeBytes { fanfare_sqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) })
    }

    /// Binds NULL.
    package func bindNull(at index: Int32) throws {
        try check(sqlite3_bind_null(handle, index))
    }

    /// The current row's integer in a column; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The current row's double in a column.
    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The current row's text in a column; empty for NULL.
    package func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        moved.count += count
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The current row's bytes in a column; empty for NULL.
    package func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        moved.count += count
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Returns true if the current row has NULL in a column.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// The current row's value in a column.
    package func value(_ column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }

    /// The current row's integer, or nil for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The current row's text, or nil for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The current row's bytes, or nil for NULL.
    package func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func error(_ code: Int32) -> SQLiteError {
        let message = sqlite3_db_handle(handle).map { String(cString: sqlite3_errmsg($0)) }
        return SQLiteError(code: code, message: message ?? String(cString: sqlite3_errstr(code)), attempt: sql)
    }
}
