import CSQLite

extension SQLiteConnection {
    /// Copies the whole database as of one moment into a new file, which is synchronised to disk. In WAL mode others
    /// write meanwhile.
    /// - Throws: `SQLiteError`; the partly written file is of no use.
    package func copy(to path: String) throws {
        var other: OpaquePointer?
        let opened = sqlite3_open_v2(
            path, &other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        defer { sqlite3_close_v2(other) }
        guard opened == SQLITE_OK, let other else {
            throw SQLiteError(code: opened, message: String(cString: sqlite3_errstr(opened)), attempt: "open \(path)")
        }
        let attempt = "copy the database to \(path)"
        guard let backup = sqlite3_backup_init(other, "main", handle, "main") else {
            throw SQLiteError(
                code: sqlite3_extended_errcode(other), message: String(cString: sqlite3_errmsg(other)), attempt: attempt
            )
        }
        // All pages in one step, under one read lock: so it is one moment, and never restarts.
        let step = sqlite3_backup_step(backup, -1)
        let finished = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, finished == SQLITE_OK else {
            let code = step == SQLITE_DONE ? finished : step
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), attempt: attempt)
        }
    }
}
