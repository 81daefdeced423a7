import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: UsageTransaction {
    func usage(of user: UserRecordName) throws -> Usage {
        try settleUsage()
        let rows = try connection.query("SELECT kind, amount FROM usage WHERE user = ?", .text(user.rawValue)) {
            (UsageKind(rawValue: $0.integer(0)), $0.integer(1))
        }
        var usage = Usage()
        for (kind, amount) in rows { if let kind { usage[kind] = amount } }
        return usage
    }

    func usersWithUsage(after name: String, limit: Int) throws -> [UserRecordName] {
        try settleUsage()
        return try connection.query(
            "SELECT DISTINCT user FROM usage WHERE user > ? ORDER BY user LIMIT ?", .text(name), .integer(Int64(limit))
        ) { UserRecordName(trusted: $0.text(0)) }
    }

    func addUsage(_ difference: Int64, _ kind: UsageKind, of user: UserRecordName) throws {
        guard difference != 0 else { return }
        let key = PendingRows.UsageKey(user: user, kind: kind)
        let before =
            try pending.usage[key]
            ?? connection.first(
                "SELECT amount FROM usage WHERE user = ? AND kind = ?", .text(user.rawValue), .integer(kind.rawValue)
            ) { $0.integer(0) }
        pending.usage[key] = max(0, (before ?? 0) + difference)
    }

    func takeRegistration(
        of user: UserRecordName, burst: Int, secondsEach: Int, at time: Timestamp
    ) throws -> Int? {
        let each = Int64(secondsEach) * 1000
        // The bucket as the time at which it will be full again.
        let full = try connection.first("SELECT full FROM registrations WHERE user = ?", .text(user.rawValue)) {
            $0.integer(0)
        }
        let next = max(full ?? 0, time.milliseconds) + each
        let over = next - time.milliseconds - Int64(burst) * each
        guard over <= 0 else { return Int((over + 999) / 1000) }
        try connection.run(
            "INSERT INTO registrations (user, full) VALUES (?1, ?2) ON CONFLICT (user) DO UPDATE SET full = ?2",
            .text(user.rawValue), .integer(next))
        return nil
    }

    func hasUpload(_ nonce: String) throws -> Bool {
        try connection.first("SELECT 1 FROM uploads WHERE nonce = ?", .text(nonce)) { _ in true } ?? false
    }

    func addUpload(_ nonce: String, of user: UserRecordName, size: Int64, at time: Timestamp) throws {
        try connection.run(
            "INSERT INTO uploads (nonce, user, size, time) VALUES (?, ?, ?, ?)", .text(nonce), .text(user.rawValue),
            .integer(size), .integer(time.milliseconds))
        try addUsage(size, .uploadBytes, of: user)
    }

    func removeUpload(_ nonce: String) throws {
        let found = try connection.first(
            "DELETE FROM uploads WHERE nonce = ? RETURNING user, size", .text(nonce)
        ) { (user: UserRecordName(trusted: $0.text(0)), size: $0.integer(1)) }
        if let found { try addUsage(-found.size, .uploadBytes, of: found.user) }
    }

    func removeUploads(before time: Timestamp, limit: Int) throws -> Int {
        let old = try connection.query(
            "SELECT nonce FROM uploads WHERE time < ? ORDER BY time LIMIT ?", .integer(time.milliseconds),
            .integer(Int64(limit))
        ) { $0.text(0) }
        for nonce in old { try removeUpload(nonce) }
        if old.count < limit {
            try connection.run("DELETE FROM uploaders WHERE time < ?", .integer(time.milliseconds))
        }
        return old.count
    }
}
