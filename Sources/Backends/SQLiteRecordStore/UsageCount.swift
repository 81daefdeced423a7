package import CloudModel
package import RecordStore
package import SQLite

/// Counts what users have from what there is: once for a file from before it was counted, and in tests.
package struct UsageCount: Sendable {
    /// The creator of a record, and the bytes of its assets; the store does not look into bodies itself.
    package typealias Reading = @Sendable (_ body: [UInt8]) -> (creator: UserRecordName, assetBytes: Int64)?

    private let reading: Reading

    package init(_ reading: @escaping Reading) { self.reading = reading }

    /// Records, their bytes and files, and shares, by user, as they are in a file now.
    package func count(in file: SQLiteConfiguration) throws -> [UserRecordName: Usage] {
        try count(try SQLiteConnection.open(file, mode: .readOnly))
    }

    /// Writes the counts of a file that has none.
    func prepare(_ connection: SQLiteConnection) throws {
        let isCounted = try connection.first("SELECT 1 FROM usage_state") { _ in true } ?? false
        guard !isCounted else { return }
        let transaction = SQLiteTransaction(connection)
        for (user, usage) in try count(connection) {
            for kind in UsageKind.allCases { try transaction.addUsage(usage[kind], kind, of: user) }
        }
        try transaction.settle()
        try connection.run("INSERT INTO usage_state (id) VALUES (1)")
    }

    /// Records, their bytes and files, and shares, by user.
    private func count(_ connection: SQLiteConnection) throws -> [UserRecordName: Usage] {
        var found: [UserRecordName: Usage] = [:]
        let sql =
            "SELECT z.database, z.owner, r.body FROM records r JOIN zones z ON z.id = r.zone WHERE z.database != 0"
        try connection.visit(sql, []) { row in
            let body = row.blob(2)
            guard let (creator, assets) = reading(body) else { return true }
            let isPublic = row.integer(0) == Int64(DatabaseScope.public.rawValue)
            let user = isPublic ? creator : UserRecordName(trusted: row.text(1))
            found[user, default: Usage()][isPublic ? .publicRecords : .privateRecords] += 1
            found[user]![isPublic ? .publicBytes : .privateBytes] += Int64(body.count)
            found[user]![.assetBytes] += assets
            return true
        }
        let shares = try connection.query(
            "SELECT z.owner, count(*) FROM shares s JOIN zones z ON z.id = s.zone GROUP BY z.owner"
        ) { (UserRecordName(trusted: $0.text(0)), $0.integer(1)) }
        for (owner, count) in shares { found[owner, default: Usage()][.shares] = count }
        return found
    }
}
