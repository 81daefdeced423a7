import PostgreSQL
import TestSupport
import Testing
import Waiting

extension OnRealPostgreSQL {
    @Suite("Pools") struct PoolTests {
        static func pool(_ schema: TestSchema, _ connections: Int = 1, waiters: Int = 100) -> PostgreSQLPool {
            PostgreSQLPool(
                schema.configuration,
                PostgreSQLPoolConfiguration(connections: connections, waitersMaximum: waiters, pause: .milliseconds(1)))
        }

        @Test("as many closures run at once as there are connections")
        func parallel() async throws {
            let pool = Self.pool(try TestSchema(), 3)
            let meeting = Meeting(3)
            let processes = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await pool.run { connection in
                            meeting.wait()
                            return try connection.serverProcess()
                        }
                    }
                }
                return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
            }
            #expect(processes.count == 3 && pool.openedCount == 3)
            await pool.close()
            let error = await #expect(throws: PostgreSQLError.self) { try await pool.run { $0.roundTrips } }
            #expect(error?.kind == .closed)
        }

        @Test("each new connection is prepared, also one that replaces another")
        func opened() async throws {
            let opened = Shared(0)
            let schema = try TestSchema()
            let pool = PostgreSQLPool(schema.configuration, PostgreSQLPoolConfiguration(connections: 1)) { connection in
                try connection.execute("SET test.opened TO yes")
                opened.update { $0 += 1 }
            }
            let process = try await pool.run { try $0.serverProcess() }
            try await DedicatedThread.run {
                let other = try schema.connect()
                try other.end(process: process)
                try other.wait(until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process))")
            }
            // The loss is noticed before the closure runs, or within it.
            try await eventually("a new connection") {
                (try? await pool.run { try $0.query("SELECT current_setting('test.opened')")[0].text(0) }) == "yes"
                    && opened.value == 2
            }
            await pool.close()
        }

        @Test("a closure that loses its connection fails, and the next one gets another")
        func lost() async throws {
            let schema = try TestSchema()
            let pool = Self.pool(schema)
            let error = await #expect(throws: PostgreSQLError.self) {
                try await pool.run { connection in
                    _ = try connection.query("SELECT pg_terminate_backend(pg_backend_pid())")
                }
            }
            #expect(error?.kind == .connectionLost && error?.sqlstate == "57P01", "\(String(describing: error))")
            #expect(try await pool.run { try $0.query("SELECT 7")[0].integer(0) } == 7)
            #expect(pool.openedCount == 2 && pool.outage == nil)
            await pool.close()
        }

        @Test("a cancelled task ends its statement and its transaction, and leaves the connection good")
        func cancelled() async throws {
            let schema = try TestSchema("CREATE TABLE t (n int8)")
            let pool = Self.pool(schema)
            let process = try await pool.run { try $0.serverProcess() }
            let task = Task {
                try await pool.run { connection in
                    try connection.transaction {
                        _ = try connection.query("INSERT INTO t VALUES (1)")
                        _ = try connection.query("SELECT pg_sleep(3600)")
                    }
                }
            }
            try await DedicatedThread.run {
                try schema.connect().wait(
                    until: "EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process) AND wait_event = 'PgSleep')")
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await pool.run { try $0.query("SELECT count(*) FROM t")[0].integer(0) } == 0)
            #expect(try await pool.run { try $0.serverProcess() } == process && pool.openedCount == 1)
            await pool.close()
        }

        @Test("a waiting task leaves the line when it is cancelled, and a full line refuses")
        func waiting() async throws {
            let pool = Self.pool(try TestSchema(), waiters: 1)
            let (begun, ended) = (Meeting(2), Meeting(2))
            let first = Task {
                try await pool.run { _ in
                    begun.wait()
                    ended.wait()
                }
            }
            try await DedicatedThread.run { begun.wait() }
            let second = Task { try await pool.run { try $0.serverProcess() } }
            try await eventually("a waiting task") { pool.waitingCount == 1 }
            let busy = await #expect(throws: PostgreSQLError.self) { try await pool.run { $0.roundTrips } }
            #expect(busy?.kind == .busy)
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(pool.waitingCount == 0)
            ended.wait()
            try await first.value
            await pool.close()
        }

        @Test("a closure that leaves a transaction or statements behind harms nobody else")
        func leftovers() async throws {
            struct Stop: Error {}
            let schema = try TestSchema("CREATE TABLE t (n int8)")
            let pool = Self.pool(schema)
            let open = await #expect(throws: PostgreSQLError.self) {
                try await pool.run { connection in
                    try connection.begin(.serializable)
                    _ = try connection.query("INSERT INTO t VALUES (1)")
                }
            }
            #expect(open?.kind == .misuse)
            await #expect(throws: Stop.self) {
                try await pool.run { connection in
                    _ = try connection.queue(sql: "INSERT INTO t VALUES (2)")
                    throw Stop()
                }
            }
            try await pool.run { _ = try $0.queue(sql: "INSERT INTO t VALUES (3)") }
            let rows = try await pool.run { try $0.query("SELECT n FROM t") }
            #expect(try rows.map { try $0.integer(0) } == [3])
            await pool.close()
        }

        @Test("closures that run are waited for at the end, and waiting ones are refused")
        func closing() async throws {
            let pool = Self.pool(try TestSchema())
            let (begun, ended) = (Meeting(2), Meeting(2))
            let running = Task {
                try await pool.run { connection in
                    begun.wait()
                    ended.wait()
                    return try connection.query("SELECT 5")[0].integer(0)
                }
            }
            try await DedicatedThread.run { begun.wait() }
            let waiting = Task { try await pool.run { $0.roundTrips } }
            try await eventually("a waiting task") { pool.waitingCount == 1 }
            let closing = Task { await pool.close() }
            let error = await #expect(throws: PostgreSQLError.self) { try await waiting.value }
            #expect(error?.kind == .closed)
            ended.wait()
            #expect(try await running.value == 5)
            await closing.value
        }

        @Test("many tasks on few connections each get their own answer")
        func many() async throws {
            let pool = Self.pool(try TestSchema(), 4, waiters: 1000)
            let answers = try await withThrowingTaskGroup(of: (Int64, Int64).self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let number = Int64(number)
                        return (number, try await pool.run { try $0.query("SELECT $1", .int8(number))[0].integer(0) })
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 500 && answers.allSatisfy { $0.0 == $0.1 })
            await pool.close()
        }
    }
}
