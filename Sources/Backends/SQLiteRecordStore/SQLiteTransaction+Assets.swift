import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func asset(_ checksum: String) throws -> StoredAsset? {
        try connection.first(
            "SELECT checksum, size, reference_count, since FROM assets WHERE checksum = ?", .text(checksum),
            read: Self.asset)
    }

    func unreferencedAssets(before time: Timestamp, limit: Int) throws -> [StoredAsset] {
        try connection.query(
            """
            SELECT checksum, size, reference_count, since FROM assets WHERE reference_count = 0 AND since < ?
            ORDER BY since LIMIT ?
            """, .integer(time.milliseconds), .integer(Int64(limit)), read: Self.asset)
    }

    func assets(after checksum: String, limit: Int) throws -> [StoredAsset] {
        try connection.query(
            """
            SELECT checksum, size, reference_count, since FROM assets WHERE checksum > ? ORDER BY checksum LIMIT ?
            """, .text(checksum), .integer(Int64(limit)), read: Self.asset)
    }

    func noteUpload(_ checksum: String, size: Int64, at time: Timestamp) throws {
        try connection.run(
            """
            INSERT INTO assets (checksum, size, since) VALUES (?, ?, ?)
            ON CONFLICT (checksum) DO UPDATE SET since = max(since, excluded.since)
            """, .text(checksum), .integer(size), .integer(time.milliseconds))
    }

    func uploads(by user: UserRecordName) throws -> [String] {
        try connection.query("SELECT checksum FROM uploaders WHERE user = ?", .text(user.rawValue)) { $0.text(0) }
    }

    func isUploaded(_ checksum: String, byOthersThan user: UserRecordName) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM uploaders WHERE checksum = ? AND user <> ? LIMIT 1", .text(checksum), .text(user.rawValue)
        ) { _ in true } ?? false
    }

    func noteUploader(_ user: UserRecordName, of checksum: String, at time: Timestamp) throws {
        try connection.run(
            """
            INSERT INTO uploaders (user, checksum, time) VALUES (?1, ?2, ?3)
            ON CONFLICT (user, checksum) DO UPDATE SET time = ?3
            """, .text(user.rawValue), .text(checksum), .integer(time.milliseconds))
    }

    func forgetUploads(by user: UserRecordName) throws {
        try connection.run("DELETE FROM uploaders WHERE user = ?", .text(user.rawValue))
    }

    func countReferences(to checksum: String, by difference: Int64, at time: Timestamp) throws {
        try connection.run(
            """
            UPDATE assets SET reference_count = reference_count + ?2, since = CASE
                WHEN reference_count + ?2 = 0 THEN max(since, ?3) ELSE since END
            WHERE checksum = ?1
            """, .text(checksum), .integer(difference), .integer(time.milliseconds))
    }

    func removeAsset(_ checksum: String) throws {
        try connection.run("DELETE FROM assets WHERE checksum = ?", .text(checksum))
    }

    private static func asset(_ row: SQLiteStatement) -> StoredAsset {
        StoredAsset(
            checksum: row.text(0), size: row.integer(1), references: row.integer(2),
            since: Timestamp(milliseconds: row.integer(3)))
    }
}
