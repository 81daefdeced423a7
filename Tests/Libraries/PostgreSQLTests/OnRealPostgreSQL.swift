import Foundation
import PostgreSQL
import TestSupport
import Testing

/// Everything that runs on a real server. Each test has a schema of its own, which is removed with it.
@Suite(
    "On a real PostgreSQL", .hangGuard,
    .enabled(if: RealPostgreSQL.isAvailable, "PostgreSQL is not installed, and POSTGRES_URL is not set"))
enum OnRealPostgreSQL {}

/// A schema of a test's own on the real server.
final class TestSchema: Sendable {
    let name = "test_\(UUID().uuidString.lowercased().prefix(12).replacingOccurrences(of: "-", with: "_"))"
    private let url: String
    private let settings: PostgreSQLConfiguration

    /// - Parameter tables: statements that make its tables.
    init(_ tables: String = "SELECT 1", _ adjust: (inout PostgreSQLConfiguration) -> Void = { _ in }) throws {
        url = try RealPostgreSQL.url()
        let connection = try PostgreSQLConnection.open(PostgreSQLConfiguration(address: url))
        try connection.execute("CREATE SCHEMA \(name); SET search_path TO \(name); \(tables)")
        var settings = PostgreSQLConfiguration(address: url, session: [("search_path", name)])
        adjust(&settings)
        self.settings = settings
    }

    deinit {
        let connection = try? PostgreSQLConnection.open(
            PostgreSQLConfiguration(address: url, session: [("client_min_messages", "error")]))
        try? connection?.execute("DROP SCHEMA \(name) CASCADE")
    }

    /// Connections are within the schema, and keep it.
    var configuration: PostgreSQLConfiguration {
        var configuration = settings
        let notice = settings.notice
        configuration.notice = { text in withExtendedLifetime(self) { notice(text) } }
        return configuration
    }

    func connect() throws -> PostgreSQLConnection { try PostgreSQLConnection.open(configuration) }
}

extension PostgreSQLConnection {
    /// The process of the server that serves this connection.
    func serverProcess() throws -> Int64 { try query("SELECT pg_backend_pid()")[0].integer(0) }

    /// Ends the session of another connection, as an operator or a restart does.
    func end(process: Int64) throws {
        _ = try query("SELECT pg_terminate_backend($1)", .int4(Int32(process)))
    }

    /// Waits until a condition of the server's holds.
    func wait(until condition: String) throws {
        while try !query("SELECT \(condition)")[0].bool(0) {}
    }
}

/// Runs `body`, which has to fail with a `PostgreSQLError`, and returns the error.
func failure(
    _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws -> PostgreSQLError {
    try #require(throws: PostgreSQLError.self, sourceLocation: sourceLocation, performing: body)
}
