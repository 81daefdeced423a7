import Foundation
import PostgreSQL
import TestSupport
import Testing

extension OnRealPostgreSQL {
    @Suite("Connections") struct ConnectionTests {
        @Test("a session has its parameters, and the names of the client")
        func session() throws {
            let schema = try TestSchema { configuration in
                configuration.session += [("jit", "off"), ("statement_timeout", "12s"), ("test.quote", "a'b\\c")]
            }
            let connection = try schema.connect()
            let settings = try ["jit", "statement_timeout", "test.quote", "application_name"].map {
                try connection.query("SELECT current_setting($1)", .text($0))[0].text(0)
            }
            #expect(settings == ["off", "12s", "a'b\\c", "fanfare"])
            #expect(connection.parameter("client_encoding") == "UTF8" && connection.parameter("nothing") == nil)
            #expect(connection.serverVersion >= 140_000)
        }

        @Test("a parameter that the server does not know fails the opening")
        func unknownParameter() throws {
            let schema = try TestSchema()
            var configuration = schema.configuration
            configuration.session = [("work_mem", "much")]
            let error = try failure { _ = try PostgreSQLConnection.open(configuration) }
            #expect(error.sqlstate == "22023")
        }

        @Test("hosts that refuse are passed over, and the demands on the session hold")
        func hosts() throws {
            let url = try RealPostgreSQL.url()
            let port = try #require(try RealKafka.freePorts(1).first)
            let several = url.replacing("@", with: "@127.0.0.1:\(port),")
            for target in ["any", "read-write", "primary", "prefer-standby", nil] {
                _ = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: several, target: target))
            }
            let error = try failure {
                _ = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: several, target: "standby"))
            }
            #expect(error.kind == .unreachable && error.isRetryable)
        }

        @Test("wrong credentials and databases are reported by their codes, without the password")
        func refused() throws {
            let url = try RealPostgreSQL.url()
            let password = try #require(url.split(separator: ":").dropFirst(2).first?.split(separator: "@").first)
            let open = { (address: String) throws in
                try failure { _ = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: address)) }
            }
            let wrong = try open(url.replacing(password, with: "secret-word"))
            #expect(wrong.kind == .refusedCredentials && wrong.sqlstate == "28P01")
            #expect(!wrong.description.contains("secret-word"))
            // The last one of two counts.
            let database = try open(url + (url.contains("?") ? "&" : "?") + "dbname=nowhere")
            #expect(database.sqlstate == "3D000" && database.kind == .unreachable)
            #expect(!database.description.contains(password))
        }

        @Test("TLS is checked against an authority and the host's name")
        func verified() throws {
            let url = try RealPostgreSQL.url()
            guard let authority = try RealPostgreSQL.authority() else { return }
            let connect = { (address: String, root: String?) throws in
                try PostgreSQLConnection.open(
                    PostgreSQLConfiguration(address: address, transport: .verified(rootCertificate: root)))
            }
            #expect(try connect(url, authority).tlsVersion?.hasPrefix("TLSv1.") == true)
            #expect(
                try connect(url + "?sslmode=disable", authority).tlsVersion != nil, "the address does not weaken it")
            let name = url.replacing("@127.0.0.1", with: "@other.example") + "?hostaddr=127.0.0.1"
            #expect(try failure { _ = try connect(name, authority) }.kind == .unreachable)
            let folder = TemporaryFolder()
            let other = folder.path("other.pem")
            let made = ChildProcess(
                "/usr/bin/env",
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
                    + ["-subj", "/CN=localhost", "-keyout", folder.path("key.pem"), "-out", other], error: .nullDevice)
            #expect(try made.runToEnd() == 0)
            #expect(try failure { _ = try connect(url, other) }.kind == .unreachable)
        }

        @Test("large answers over TLS come to their end")
        func largeOverTLS() throws {
            guard let authority = try RealPostgreSQL.authority() else { return }
            let schema = try TestSchema { $0.transport = .verified(rootCertificate: authority) }
            let connection = try schema.connect()
            for bytes in [1, 8_000, 16_300, 16_384, 24_576, 100_000, 3_000_000] {
                let replies = try (0..<20).map { _ in
                    try connection.queue(sql: "SELECT repeat('x', $1::int4)", .int4(Int32(bytes)))
                }
                try connection.flush()
                for reply in replies { #expect(try reply.rows()[0].text(0).utf8.count == bytes) }
            }
        }

        @Test("notices come to their handler")
        func notices() throws {
            let seen = Shared<[PostgreSQLNotice]>([])
            let connection = try TestSchema { $0.notice = { notice in seen.update { $0.append(notice) } } }.connect()
            try connection.execute("DO $$ BEGIN RAISE WARNING 'careful' USING ERRCODE = '01234'; END $$")
            let notice = try #require(seen.value.first)
            #expect(notice.severity == "WARNING" && notice.sqlstate == "01234" && notice.message == "careful")
        }

        @Test("a statement that takes too long ends the connection, and its work at the server")
        func timeOut() throws {
            let schema = try TestSchema()
            let (connection, other) = (try schema.connect(), try schema.connect())
            let process = try connection.serverProcess()
            connection.answerTimeout = .milliseconds(50)
            let error = try failure { _ = try connection.query("SELECT pg_sleep(3600)") }
            #expect(error.kind == .timedOut && error.isOutcomeUnknown && connection.isLost && !connection.isAlive())
            #expect(try failure { _ = try connection.query("SELECT 1") }.kind == .timedOut)
            try other.wait(
                until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process) AND state = 'active')")
        }

        @Test("a session that the server ended is noticed without a statement")
        func idle() throws {
            let schema = try TestSchema()
            let (connection, other) = (try schema.connect(), try schema.connect())
            #expect(connection.isAlive())
            let process = try connection.serverProcess()
            try other.end(process: process)
            try other.wait(until: "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process))")
            while connection.isAlive() {}
            #expect(connection.isLost)
        }

        @Test("a cancelled statement fails alone; after that statements are refused until the next user")
        func cancelling() throws {
            let schema = try TestSchema("CREATE TABLE t (n int8)")
            let (connection, other) = (try schema.connect(), try schema.connect())
            let process = try connection.serverProcess()
            let canceller = connection.canceller
            let stopping = Worker {
                try other.wait(
                    until: "EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process) AND wait_event = 'PgSleep')")
                canceller.stop()
            }
            let error = try failure {
                try connection.transaction {
                    _ = try connection.query("INSERT INTO t VALUES (1)")
                    _ = try connection.query("SELECT pg_sleep(3600)")
                }
            }
            try stopping.join()
            #expect(error.kind == .cancelled && error.sqlstate == "57014")
            #expect(!connection.isLost && !connection.isInTransaction, "it was rolled back all the same")
            #expect(try failure { try connection.execute("SELECT 1") }.kind == .cancelled)
            canceller.reset()
            #expect(try connection.query("SELECT * FROM t").isEmpty)
        }

        @Test("notifications are read with their payload, and a wait without one ends")
        func notifications() throws {
            let schema = try TestSchema()
            let (listener, sender) = (try schema.connect(), try schema.connect())
            let channel = "chännel \"\(schema.name)\""
            try listener.listen(to: channel)
            #expect(try listener.notifications(within: .milliseconds(1)).isEmpty)
            for payload in ["a", ""] {
                _ = try sender.query("SELECT pg_notify($1, $2)", .text(channel), .text(payload))
            }
            var found: [PostgreSQLNotification] = []
            while found.count < 2 { found += try listener.notifications(within: hangGuard) }
            #expect(found.map(\.payload) == ["a", ""] && found.allSatisfy { $0.channel == channel })
            #expect(Int64(found[0].process) == (try sender.serverProcess()))
            try sender.end(process: listener.serverProcess())
            #expect(
                try failure { while true { _ = try listener.notifications(within: hangGuard) } }.kind == .connectionLost
            )
        }
    }
}
