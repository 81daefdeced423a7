import SQLite

/// The tables of a `SQLiteLog`, and how older files are brought up to date.
enum Schema {
    /// `PRAGMA user_version` of files that this version writes.
    static let version: Int64 = 4

    /// Makes the tables in a new file and checks the version of an old one.
    static func prepare(_ connection: SQLiteConnection) throws {
        let found = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        switch found {
        case version: return
        case 0: try connection.execute(tables + entries + identity + numbered)
        case 1: try connection.execute(identity + appended + packed + numbered)
        case 2: try connection.execute(appended + packed + numbered)
        case 3: try connection.execute(packed + numbered)
        default:
            throw SQLiteError(
                code: 1, message: "the log's file has format \(found), this version of fanfare knows \(version)",
                attempt: "open the log")
        }
    }

    private static let numbered = "PRAGMA user_version = \(version);"

    /// The one row that names this log and no other, made with the file or, in a file of the first format, later.
    private static let identity = """
        CREATE TABLE log (identity TEXT NOT NULL) STRICT;
        INSERT INTO log (identity) VALUES ('sqlite-' || lower(hex(randomblob(16))));
        """

    /// The time of the append, which entries of earlier formats do not have. Adding it rewrites no entry.
    private static let appended = "ALTER TABLE entries ADD COLUMN appended INTEGER;"

    /// `partitions.base` is where a partition's offsets begin again when it is empty: its end is the larger of `base`
    /// and the offset after its last entry, so that appending touches `entries` only. `retained` is its first offset.
    private static let tables = """
        CREATE TABLE topics (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, partitions INTEGER NOT NULL, incarnation INTEGER NOT NULL,
            retention INTEGER, message_max INTEGER NOT NULL, is_source INTEGER NOT NULL) STRICT;
        CREATE TABLE partitions (
            id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topics (id) ON DELETE CASCADE,
            number INTEGER NOT NULL, retained INTEGER NOT NULL DEFAULT 0, base INTEGER NOT NULL DEFAULT 0,
            UNIQUE (topic, number)) STRICT;
        CREATE TABLE positions (
            reader TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, position BLOB NOT NULL,
            PRIMARY KEY (reader, topic, partition)) STRICT, WITHOUT ROWID;
        """

    /// Entries are clustered by partition and offset (`EntryRows`): a feed is read in one go. `time` is the time of the
    /// event, by which old entries are removed; `appended` is for people and audits.
    ///
    /// The key is the row's number, never columns of a table without row numbers: of such a table SQLite compares whole
    /// rows, and reads a row of a megabyte at each step of a search.
    private static let entries = """
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY, time INTEGER NOT NULL, key BLOB, value BLOB, headers BLOB, appended INTEGER) STRICT;
        """

    /// Rewrites the entries of earlier formats, whose keys were the columns `partition` and `position`.
    private static let packed = """
        ALTER TABLE entries RENAME TO former;
        \(entries)
        INSERT INTO entries (id, time, key, value, headers, appended)
            SELECT partition << \(EntryRows.offsetBits) | position, time, key, value, headers, appended FROM former
            ORDER BY partition, position;
        DROP TABLE former;
        """
}
