import PostgreSQL
import TestSupport
import Testing

extension OnRealPostgreSQL {
    @Suite("Transactions") struct TransactionTests {
        static let table = "CREATE TABLE t (id int8 PRIMARY KEY, n int8); INSERT INTO t VALUES (1, 0), (2, 0)"
        static let write = PostgreSQLStatement("write", "UPDATE t SET n = n + 1 WHERE id = $1", [.int8])
        static let read = PostgreSQLStatement("read", "SELECT n FROM t WHERE id = $1", [.int8])

        @Test("a transaction of queued writes takes one round trip, with a read two")
        func roundTrips() throws {
            let connection = try TestSchema(Self.table).connect()
            var before = connection.roundTrips
            try connection.transaction { for _ in 0..<10 { _ = try connection.queue(Self.write, .int8(1)) } }
            #expect(connection.roundTrips - before == 1)
            before = connection.roundTrips
            try connection.transaction {
                #expect(try connection.run(Self.read, .int8(1))[0].integer(0) == 10)
                _ = try connection.queue(Self.write, .int8(1))
            }
            #expect(connection.roundTrips - before == 2 && !connection.isInTransaction)
            #expect(try connection.run(Self.read, .int8(1))[0].integer(0) == 11)
        }

        @Test("a thrown error rolls back sent and queued statements", arguments: [true, false])
        func rollsBack(isSent: Bool) throws {
            struct Stop: Error {}
            let connection = try TestSchema(Self.table).connect()
            #expect(throws: Stop.self) {
                try connection.transaction {
                    _ = try connection.queue(Self.write, .int8(1))
                    if isSent { try connection.flush() }
                    _ = try connection.queue(Self.write, .int8(1))
                    throw Stop()
                }
            }
            #expect(!connection.isInTransaction && !connection.isLost)
            #expect(try connection.run(Self.read, .int8(1))[0].integer(0) == 0)
        }

        @Test("a queued statement that fails does not keep its transaction from a rollback")
        func rollsBackFailure() throws {
            struct Stop: Error {}
            let connection = try TestSchema(Self.table).connect()
            #expect(throws: Stop.self) {
                try connection.transaction {
                    _ = try connection.run(Self.write, .int8(1))
                    _ = try connection.queue(sql: "SELECT 1/0")
                    throw Stop()
                }
            }
            #expect(!connection.isInTransaction && !connection.isLost)
            #expect(try connection.run(Self.read, .int8(1))[0].integer(0) == 0)
        }

        @Test("two transactions that read what the other writes are not both committed")
        func writeSkew() throws {
            let schema = try TestSchema(Self.table)
            let (first, second) = (try schema.connect(), try schema.connect())
            for (connection, id) in [(first, Int64(1)), (second, 2)] {
                try connection.begin(.serializable)
                _ = try connection.run(Self.read, .int8(3 - id))
                _ = try connection.run(Self.write, .int8(id))
            }
            try first.commit()
            let error = try failure { try second.commit() }
            #expect(error.kind == .serializationFailure && error.isRetryable && !error.isOutcomeUnknown)
            #expect(!second.isInTransaction)
            #expect(try first.query("SELECT sum(n)::int8 FROM t")[0].integer(0) == 1)
        }

        @Test("a commit after an error that was passed over reports the rollback")
        func passedOver() throws {
            let connection = try TestSchema(Self.table).connect()
            try connection.begin(.readCommitted)
            _ = try connection.run(Self.write, .int8(1))
            _ = try failure { _ = try connection.query("SELECT 1/0") }
            #expect(connection.isInTransaction)
            #expect(try failure { try connection.commit() }.kind == .rolledBack)
            #expect(try connection.run(Self.read, .int8(1))[0].integer(0) == 0)
        }

        @Test("kinds of transactions have their isolation, and read-only ones do not write")
        func kinds() throws {
            let connection = try TestSchema(Self.table).connect()
            let names: [PostgreSQLTransaction: String] = [
                .readCommitted: "read committed", .repeatableReadOnly: "repeatable read",
                .serializable: "serializable", .serializableReadOnly: "serializable",
            ]
            for kind in PostgreSQLTransaction.allCases {
                let name = try connection.transaction(kind) {
                    try connection.query("SELECT current_setting('transaction_isolation')")[0].text(0)
                }
                #expect(name == names[kind])
            }
            for kind in [PostgreSQLTransaction.repeatableReadOnly, .serializableReadOnly] {
                let error = try failure {
                    try connection.transaction(kind) { _ = try connection.run(Self.write, .int8(1)) }
                }
                #expect(error.kind == .readOnly)
            }
        }

        @Test("a transaction whose connection ends before its commit was certainly not committed")
        func lostBefore() throws {
            let schema = try TestSchema(Self.table)
            let (connection, other) = (try schema.connect(), try schema.connect())
            let process = try connection.serverProcess()
            let error = try failure {
                try connection.transaction {
                    _ = try connection.run(Self.write, .int8(1))
                    try other.end(process: process)
                    try other.wait(until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process))")
                    _ = try connection.run(Self.write, .int8(1))
                }
            }
            #expect(error.kind == .connectionLost && error.sqlstate == "57P01" && error.isRetryable)
            #expect(connection.isLost && !connection.isInTransaction)
            #expect(try other.run(Self.read, .int8(1))[0].integer(0) == 0)
        }

        @Test("a deadlock is reported to one of two, and lets the other commit")
        func deadlock() async throws {
            let schema = try TestSchema(Self.table) { $0.session.append(("deadlock_timeout", "10ms")) }
            let pool = PostgreSQLPool(schema.configuration, PostgreSQLPoolConfiguration(connections: 2))
            let meeting = Meeting(2)
            let kinds = await withTaskGroup(of: PostgreSQLError.Kind?.self) { group in
                for id in [Int64(1), 2] {
                    group.addTask {
                        do {
                            try await pool.run { connection in
                                try connection.transaction(.readCommitted) {
                                    _ = try connection.run(Self.write, .int8(id))
                                    meeting.wait()
                                    _ = try connection.run(Self.write, .int8(3 - id))
                                }
                            }
                            return nil
                        } catch { return (error as? PostgreSQLError)?.kind ?? .other }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(kinds.contains(nil) && kinds.contains(.deadlock))
            await pool.close()
        }
    }
}
