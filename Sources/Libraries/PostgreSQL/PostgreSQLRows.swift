import CPostgreSQL

/// The rows of one answer, in libpq's memory, which is freed with the last reference.
///
/// `@unchecked Sendable`: libpq changes no result once it is returned, and has no reference to its connection.
package final class PostgreSQLRows: RandomAccessCollection, @unchecked Sendable {
    let handle: OpaquePointer
    /// The number of rows.
    package let count: Int
    /// The number of columns.
    package let columnCount: Int

    /// Takes over a result.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        count = Int(PQntuples(handle))
        columnCount = Int(PQnfields(handle))
    }

    deinit { PQclear(handle) }

    /// The index of the first row.
    package var startIndex: Int { 0 }
    /// The index behind the last row.
    package var endIndex: Int { count }

    /// A row, which keeps the answer alive.
    package subscript(index: Int) -> PostgreSQLRow {
        precondition(index >= 0 && index < count, "row \(index) of \(count)")
        return PostgreSQLRow(rows: self, index: Int32(index))
    }

    /// The number of rows that an INSERT, UPDATE, DELETE or COPY changed, or that a SELECT or FETCH returned.
    package var affected: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The name of the command, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(handle)) }
    var status: ExecStatusType { PQresultStatus(handle) }
}

/// One row of an answer.
package struct PostgreSQLRow: PostgreSQLFields, Sendable {
    let rows: PostgreSQLRows
    let index: Int32

    package var columnCount: Int { rows.columnCount }

    package func withColumn<Result>(
        _ column: Int, _ body: (UnsafeRawBufferPointer?, UInt32?) throws -> Result
    ) throws -> Result {
        try withExtendedLifetime(rows) {
            let place = Int32(truncatingIfNeeded: column)
            guard column >= 0, column < rows.columnCount, PQfformat(rows.handle, place) == 1 else {
                throw PostgreSQLError(
                    .unexpectedValue, "the answer has no such column in binary form", attempt: "read column \(column)")
            }
            let type = UInt32(PQftype(rows.handle, place))
            if PQgetisnull(rows.handle, index, place) != 0 { return try body(nil, type) }
            let bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(rows.handle, index, place), count: Int(PQgetlength(rows.handle, index, place)))
            return try body(bytes, type)
        }
    }
}
