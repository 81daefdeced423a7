import PostgreSQL
import TestSupport
import Testing

extension OnRealPostgreSQL {
    @Suite("Statements") struct StatementTests {
        static let table = "CREATE TABLE t (id int8 PRIMARY KEY, name text)"
        static let insert = PostgreSQLStatement("insert", "INSERT INTO t VALUES ($1, $2)", [.int8, .text])
        static let select = PostgreSQLStatement("select", "SELECT * FROM t WHERE id = $1", [.int8])

        @Test("a statement is prepared with its first run, in the same round trip")
        func prepared() throws {
            let connection = try TestSchema(Self.table).connect()
            let before = connection.roundTrips
            for number in 1...3 { _ = try connection.run(Self.insert, .int8(Int64(number)), .text("a")) }
            #expect(connection.roundTrips - before == 3)
            let names = try connection.query("SELECT name FROM pg_prepared_statements WHERE name = 'insert'")
            #expect(names.count == 1)
        }

        @Test("many queued statements take one round trip, and answer in order")
        func pipeline() throws {
            let connection = try TestSchema(Self.table).connect()
            let before = connection.roundTrips
            let replies = try (0..<500).map { number in
                try connection.queue(sql: "SELECT $1::int8 * 2", .int8(Int64(number)))
            }
            try connection.flush()
            #expect(try replies.map { try $0.rows()[0].integer(0) } == (0..<500).map { $0 * 2 })
            #expect(connection.roundTrips - before == 1)
            try connection.flush()
            #expect(connection.roundTrips - before == 1, "nothing was queued")
        }

        @Test("an error skips the statements behind it, and undoes those before it")
        func skipped() throws {
            let connection = try TestSchema(Self.table).connect()
            let first = try connection.queue(Self.insert, .int8(1), .text("a"))
            let wrong = try connection.queue(Self.insert, .int8(1), .text("b"))
            let last = try connection.queue(sql: "SELECT 1")
            let error = try failure { try connection.flush() }
            #expect(error.kind == .uniqueViolation && error.constraint == "t_pkey" && error.attempt == "insert")
            #expect(!error.isOutcomeUnknown)
            #expect(try first.rows().affected == 1)
            #expect(try failure { _ = try wrong.rows() }.kind == .uniqueViolation)
            #expect(try failure { _ = try last.rows() }.kind == .skipped)
            #expect(try connection.query("SELECT * FROM t").isEmpty)
        }

        @Test("a statement whose preparation was skipped is prepared by its next run")
        func skippedPreparation() throws {
            let connection = try TestSchema(Self.table).connect()
            _ = try connection.queue(sql: "SELECT 1/0")
            _ = try connection.queue(Self.insert, .int8(1), .text("a"))
            #expect(try failure { try connection.flush() }.sqlstate == "22012")
            #expect(try connection.run(Self.insert, .int8(1), .text("a")).affected == 1)
        }

        @Test("a reply before its flush, wrong values and two texts of a name are refused, and nothing is sent")
        func misuse() throws {
            let connection = try TestSchema(Self.table).connect()
            let before = connection.roundTrips
            let other = PostgreSQLStatement("insert", "SELECT 1")
            let reply = try connection.queue(Self.insert, .int8(7), .text("a"))
            let mistakes: [() throws -> Void] = [
                { _ = try reply.rows() }, { _ = try connection.queue(Self.insert, .int8(1)) },
                { _ = try connection.queue(Self.insert, .text("a"), .text("a")) },
                { _ = try connection.queue(other) }, { _ = try connection.queue(sql: "SELECT 1\u{0}") },
                { try connection.commit() },
            ]
            for mistake in mistakes { #expect(try failure(mistake).kind == .misuse) }
            #expect(connection.roundTrips == before)
            try connection.flush()
            #expect(try connection.run(Self.select, .int8(7)).count == 1)
        }

        @Test("more bytes than may be queued are refused, and those before them are sent")
        func bounded() throws {
            let schema = try TestSchema(Self.table) { $0.queueBytesMaximum = 1 << 20 }
            let connection = try schema.connect()
            let text = String(repeating: "a", count: 300_000)
            for number in 1...3 { _ = try connection.queue(Self.insert, .int8(Int64(number)), .text(text)) }
            let error = try failure { _ = try connection.queue(Self.insert, .int8(4), .text(text)) }
            #expect(error.kind == .misuse)
            try connection.flush()
            #expect(try connection.query("SELECT sum(length(name))::int8 FROM t")[0].integer(0) == 900_000)
        }

        @Test("large answers to large queues do not block each other")
        func bothWays() throws {
            let connection = try TestSchema(Self.table).connect()
            let text = String(repeating: "b", count: 200_000)
            let replies = try (0..<200).map { _ in try connection.queue(sql: "SELECT $1", .text(text)) }
            try connection.flush()
            for reply in replies { #expect(try reply.rows()[0].text(0).utf8.count == text.utf8.count) }
        }

        @Test("a stale plan is reported as one, and the next run has the new columns")
        func stale() throws {
            let connection = try TestSchema(Self.table).connect()
            _ = try connection.run(Self.insert, .int8(1), .text("a"))
            #expect(try connection.run(Self.select, .int8(1))[0].columnCount == 2)
            for columns in 3...5 {
                try connection.execute("ALTER TABLE t ADD COLUMN more\(columns) int8")
                let error = try failure { _ = try connection.run(Self.select, .int8(1)) }
                #expect(error.kind == .stalePlan && error.isRetryable)
                #expect(try connection.run(Self.select, .int8(1))[0].columnCount == columns)
            }
        }

        @Test("several statements are one transaction, and the first error is thrown")
        func simple() throws {
            let connection = try TestSchema(Self.table).connect()
            let error = try failure { try connection.execute("INSERT INTO t VALUES (1); SELECT nothing; SELECT 2") }
            #expect(error.sqlstate == "42703" && error.hint == nil)
            #expect(try connection.query("SELECT * FROM t").isEmpty)
            let copy = try failure { try connection.execute("COPY t TO STDOUT") }
            #expect(copy.kind == .misuse && connection.isLost)
        }

        @Test("texts are parameters, whatever their letters")
        func injection() throws {
            let connection = try TestSchema(Self.table).connect()
            let text = "'; DROP TABLE t; -- \\ \" $1 \u{1F600}\u{FFFF}"
            _ = try connection.run(Self.insert, .int8(1), .text(text))
            #expect(try connection.run(Self.select, .int8(1))[0].text(1) == text)
            let error = try failure { _ = try connection.run(Self.insert, .int8(2), .text("a\u{0}b")) }
            #expect(error.sqlstate == "22021")
            for name in ["a\"b", "", "SELECT", "é", "a;b"] {
                let quoted = try connection.quoted(name)
                #expect(quoted == "\"" + name.replacing("\"", with: "\"\"") + "\"")
            }
            #expect(try failure { _ = try connection.quoted("a\u{0}") }.kind == .misuse)
        }
    }
}
