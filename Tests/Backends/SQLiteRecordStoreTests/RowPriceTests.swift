import CloudModel
import SQLite
import TestSupport
import Testing

/// The price of a row, which the library of SQLite and the limits of the service each have.
@Suite struct RowPriceTests {
    @Test("a step of a statement moves as many bytes as the limits say of a row")
    func row() throws {
        #expect(MovedBytes.ofRow == Limits.rowBytes)
        let folder = TemporaryFolder()
        let connection = try SQLiteConnection.open(SQLiteConfiguration(path: folder.path("rows.sqlite")))
        try connection.execute("CREATE TABLE t (n INTEGER)")
        let before = connection.moved.count
        for number in 0..<10 { try connection.run("INSERT INTO t (n) VALUES (?)", .integer(Int64(number))) }
        #expect(connection.moved.count - before == 10 * Limits.rowBytes)
    }
}
