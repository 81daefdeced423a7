import PostgreSQL
import TestSupport
import Testing

extension OnRealPostgreSQL {
    @Suite("Copies") struct CopyTests {
        static let table = "CREATE TABLE t (id int8 PRIMARY KEY, name text, body bytea, ids int8[])"
        static let copyIn = "COPY t FROM STDIN (FORMAT binary)"
        static let copyOut = "COPY t TO STDOUT (FORMAT binary)"

        @Test("rows go into a table and come out equal, of all sizes")
        func bothWays() throws {
            let connection = try TestSchema(Self.table).connect()
            let rows = (0..<1_000).map { number -> [PostgreSQLValue] in
                [
                    .int8(Int64(number)), number % 3 == 0 ? .null : .text("näme \(number)"),
                    .bytea([UInt8](repeating: UInt8(number % 256), count: number % 7 == 0 ? 100_000 : number)),
                    .int8Array((0..<Int64(number % 5)).map { $0 }),
                ]
            }
            let count = try connection.copyIn(Self.copyIn) { writer in for row in rows { try writer.write(row) } }
            #expect(count == rows.count)
            var seen: [[PostgreSQLValue]] = []
            try connection.copyOut("COPY (SELECT * FROM t ORDER BY id) TO STDOUT (FORMAT binary)") { row in
                seen.append([
                    .int8(try row.integer(0)), .optional(try row.optionalText(1)), .bytea(try row.bytes(2)),
                    .int8Array(try row.integers(3)),
                ])
            }
            // Megabytes, which a failure should not print.
            let isEqual = seen == rows
            #expect(isEqual)
            #expect(try connection.query("SELECT count(*) FROM t")[0].integer(0) == 1_000)
        }

        @Test("a refused row, a row of other columns and the client's own error end a copy without a row")
        func refused() throws {
            struct Stop: Error {}
            let connection = try TestSchema(Self.table).connect()
            let twice = try failure {
                _ = try connection.copyIn(Self.copyIn) { writer in
                    for number in 0..<200_000 { try writer.write(.int8(Int64(number % 1000)), .null, .null, .null) }
                }
            }
            #expect(twice.kind == .uniqueViolation && !twice.isOutcomeUnknown)
            let columns = try failure { _ = try connection.copyIn(Self.copyIn) { try $0.write(.int8(1)) } }
            #expect(columns.sqlstate == "22P04")
            #expect(throws: Stop.self) {
                _ = try connection.copyIn(Self.copyIn) { writer in
                    try writer.write(.int8(1), .null, .null, .null)
                    throw Stop()
                }
            }
            #expect(!connection.isLost)
            #expect(try connection.query("SELECT * FROM t").isEmpty)
        }

        @Test("statements that are no binary copy of their direction end the connection")
        func misuse() throws {
            let schema = try TestSchema(Self.table)
            for sql in ["SELECT 1", "COPY t FROM STDIN", Self.copyOut] {
                let connection = try schema.connect()
                #expect(try failure { _ = try connection.copyIn(sql) { _ in } }.kind == .misuse)
                #expect(connection.isLost)
            }
            let connection = try schema.connect()
            let error = try failure { try connection.copyOut("COPY nothing TO STDOUT (FORMAT binary)") { _ in } }
            #expect(error.sqlstate == "42P01" && !connection.isLost)
        }

        @Test("a reader that throws gets its error, and the server ends the copy")
        func left() throws {
            struct Stop: Error {}
            let schema = try TestSchema(Self.table)
            let (connection, other) = (try schema.connect(), try schema.connect())
            let process = try connection.serverProcess()
            let endless = "COPY (SELECT generate_series(1, 1000000000)) TO STDOUT (FORMAT binary)"
            #expect(throws: Stop.self) { try connection.copyOut(endless) { _ in throw Stop() } }
            #expect(connection.isLost)
            try other.wait(
                until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process) AND state = 'active')")
        }

        @Test("a copy is part of its transaction")
        func transaction() throws {
            let connection = try TestSchema(Self.table).connect()
            try connection.begin(.serializable)
            _ = try connection.copyIn(Self.copyIn) { try $0.write(.int8(1), .null, .null, .null) }
            connection.rollback()
            #expect(try connection.query("SELECT * FROM t").isEmpty)
        }
    }
}
