extension StoreSchema {
    /// The creators of records of the public database and their links, beside the bodies: a column behind a body is
    /// read through it. `due_deletions` are deleted records whose referrers of other creators are still there, with
    /// the last of these that was looked at. `emptied_zones` are rows of default zones whose records are to be removed
    /// and published as deleted, with the user and device that did it.
    static let creatorTables = """
        CREATE TABLE IF NOT EXISTS creators (
            record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE, creator TEXT NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS links (
            zone INTEGER NOT NULL, target TEXT NOT NULL, kind INTEGER NOT NULL, creator TEXT NOT NULL,
            record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
            PRIMARY KEY (zone, target, kind, creator, record)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS links_of_record ON links (record);
        CREATE TABLE IF NOT EXISTS due_deletions (
            sequence INTEGER PRIMARY KEY, zone INTEGER NOT NULL, target TEXT NOT NULL, user TEXT NOT NULL,
            device TEXT, epoch INTEGER NOT NULL, progress INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE IF NOT EXISTS emptied_zones (
            zone INTEGER PRIMARY KEY REFERENCES zones (id) ON DELETE CASCADE, user TEXT NOT NULL, device TEXT,
            epoch INTEGER NOT NULL) STRICT;
        """
}
