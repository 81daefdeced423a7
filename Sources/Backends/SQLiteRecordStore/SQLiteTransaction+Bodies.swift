import RecordStore
import SQLite

extension SQLiteTransaction {
    func recordBodies(after number: Int64, limit: Int, bytesMax: Int) throws -> [(number: Int64, body: [UInt8])] {
        let statement = try connection.statement("SELECT id, body FROM records WHERE id > ? ORDER BY id LIMIT ?")
        try statement.bind(number, at: 1)
        try statement.bind(Int64(limit), at: 2)
        defer { statement.reset() }
        var rows: [(number: Int64, body: [UInt8])] = []
        var bytes = 0
        while bytes < bytesMax, try statement.step() {
            rows.append((statement.integer(0), statement.blob(1)))
            bytes += rows[rows.count - 1].body.count
        }
        return rows
    }

    func recordBody(_ number: Int64) throws -> [UInt8]? {
        try connection.first("SELECT body FROM records WHERE id = ?", .integer(number)) { $0.blob(0) }
    }

    func replaceBody(_ body: [UInt8], of number: Int64) throws {
        try connection.run("UPDATE records SET body = ? WHERE id = ?", .blob(body), .integer(number))
    }
}
