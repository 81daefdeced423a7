/// The settings that connections are opened with.
package struct SQLiteConfiguration: Sendable {
    /// The database file, made when it is absent; `:memory:` is not meant for writers with readers beside them.
    package var path: String
    /// Indicates whether a commit waits for the disk (`synchronous=FULL`); without it a power cut may lose the last
    /// commits.
    package var isDurable: Bool
    /// The longest that a connection waits for another process's lock before it fails with SQLITE_BUSY, in
    /// milliseconds.
    package var busyTimeoutMilliseconds: Int32
    /// The page cache of the connection that writes, in KiB.
    package var cacheKibibytes: Int
    /// The page cache of each read-only connection, in KiB. There are several, and pages that one lacks are in the
    /// system's own cache.
    package var readerCacheKibibytes: Int

    package init(
        path: String, isDurable: Bool = true, busyTimeoutMilliseconds: Int32 = 10_000, cacheKibibytes: Int = 65_536,
        readerCacheKibibytes: Int = 8_192
    ) {
        self.path = path
        self.isDurable = isDurable
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.cacheKibibytes = cacheKibibytes
        self.readerCacheKibibytes = readerCacheKibibytes
    }

    /// Run on every new connection. The figures of checkpoints (`SQLiteWriter` makes its own) and journal size come from
    /// measurements with 200-byte rows: fewer, larger checkpoints cost less than the bounded WAL they need.
    func pragmas(for mode: SQLiteConnection.Mode) -> [String] {
        [
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")",
            "PRAGMA foreign_keys=ON",
            "PRAGMA temp_store=MEMORY",
            "PRAGMA cache_size=-\(mode == .readWrite ? cacheKibibytes : readerCacheKibibytes)",
            "PRAGMA wal_autocheckpoint=4000",
            "PRAGMA journal_size_limit=67108864",
            "PRAGMA trusted_schema=OFF",
            // Deleted rows are overwritten in the file; Debian's SQLite does so by default, others do not.
            "PRAGMA secure_delete=ON",
        ]
    }
}
