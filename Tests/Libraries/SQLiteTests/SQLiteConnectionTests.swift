import SQLite
import TestSupport
import Testing

@Suite struct SQLiteConnectionTests {
    let folder = TemporaryFolder()

    @Test func everyStorageClassComesBackAsItWentIn() throws {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("a.sqlite")))
        try connection.execute("CREATE TABLE t (i, r, x, b, n)")
        try connection.run(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?)", .integer(.min), .real(0.1), .text("a\u{0}ü"), .blob([0, 255]), .null
        )
        let row = try connection.first("SELECT i, r, x, b, n FROM t") {
            ($0.integer(0), $0.real(1), $0.text(2), $0.blob(3), $0.isNull(4))
        }
        let values = try #require(row)
        #expect(values.0 == .min && values.1 == 0.1 && values.2 == "a\u{0}ü" && values.3 == [0, 255] && values.4)
    }

    @Test func emptyTextAndBytesAreNotNull() throws {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("a.sqlite")))
        let types = try connection.first("SELECT typeof(?), typeof(?), typeof(?)", .text(""), .blob([]), .null) {
            [$0.text(0), $0.text(1), $0.text(2)]
        }
        #expect(types == ["text", "blob", "null"])
    }

    @Test func anErrorHasTheStatementAndSQLitesMessage() throws {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("a.sqlite")))
        let failure = #expect(throws: SQLiteError.self) { try connection.run("SELECT * FROM nowhere") }
        #expect(failure?.description.contains("no such table: nowhere") == true)
        #expect(failure?.attempt == "SELECT * FROM nowhere")
    }

    @Test func aFailedStatementCanRunAgain() throws {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("a.sqlite")))
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        try connection.run("INSERT INTO t VALUES (?)", 1)
        let failure = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (?)", 1) }
        #expect(failure?.isConstraint == true)
        try connection.run("INSERT INTO t VALUES (?)", 2)
        #expect(try connection.query("SELECT id FROM t") { $0.integer(0) } == [1, 2])
    }

    @Test func openingErrorsNameTheFile() {
        let failure = #expect(throws: SQLiteError.self) {
            try SQLiteConnection.open(SQLiteConfiguration(path: "/nowhere/at/all.sqlite"))
        }
        #expect(failure?.attempt == "open /nowhere/at/all.sqlite")
    }

    @Test("queries of many texts are kept for a while, also within one another")
    func visits() throws {
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("a.sqlite")))
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)")
        let sql = "SELECT id FROM t WHERE id > ? ORDER BY id"
        for _ in 0..<2 {
            var seen: [[Int64]] = []
            try connection.visit(sql, [0]) { outer in
                try connection.visit(sql, [.integer(outer.integer(0))]) { inner in
                    seen.append([outer.integer(0), inner.integer(0)])
                    return true
                }
                return true
            }
            #expect(seen == [[1, 2], [1, 3], [2, 3]])
        }
        // A statement that was ended early restarts, and more than are cached work as well.
        for number in 0..<200 {
            var first: Int64?
            try connection.visit("SELECT id FROM t WHERE id > ? AND id != \(-number - 1) ORDER BY id", [1]) {
                first = $0.integer(0)
                return false
            }
            #expect(first == 2)
        }
        #expect(throws: SQLiteError.self) { try connection.visit("SELECT nothing FROM t", []) { _ in true } }
        try connection.execute("DROP TABLE t")
    }
}
