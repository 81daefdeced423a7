import CloudModel
import RecordStore
import SQLite

/// The tables of a store, and how older files are brought up to date.
enum StoreSchema {
    /// `PRAGMA user_version` of files that this version writes; an unknown one is refused.
    static let version: Int64 = 2

    /// Makes the tables in a new file and checks the version of an old one.
    static func prepare(_ connection: SQLiteConnection) throws {
        try prepareCore(connection)
        try connection.execute(
            identityTables + assetTables + courierTables + deviceTables + shareTables + boundedWork + versionTables
                + usageTables + accountTables + subscriptionCostTables + continuityTables + creatorTables
                + backfillTables + pushAddressTables + operatorTables + policyTables)
    }

    private static func prepareCore(_ connection: SQLiteConnection) throws {
        let found = try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        switch found {
        case version: return
        case 0:
            try connection.execute(tables + "PRAGMA user_version = \(version);")
            try connection.run("INSERT INTO store (id, incarnation) VALUES (1, ?)", .integer(.random(in: 1 ... .max)))
        default:
            let advice =
                found < version
                ? "no release wrote it: begin with a new file" : "use the version of fanfare that wrote it"
            let error = SQLiteError(
                code: 1,
                message: "the store's file has format \(found), this version of fanfare knows \(version); \(advice)",
                attempt: "open the store")
            throw StoreError.unreadable("\(error)")
        }
    }

    /// Records are found through an index of zone and name; their rows are in the order of their creation, because
    /// inserting in the order of random names costs three times as much. Only custom zones have a change feed: the
    /// records of others do not pay for its index. A record's number is `records.id`. Its words carry its type and zone,
    /// so that FTS5 meets no others; the tokenizer keeps letters and digits whole.
    private static let tables = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY, incarnation INTEGER NOT NULL, sequence INTEGER NOT NULL DEFAULT 0,
            subscription_sequence INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE TABLE zones (
            id INTEGER PRIMARY KEY, database INTEGER NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
            created INTEGER NOT NULL DEFAULT 0, horizon INTEGER NOT NULL DEFAULT 0,
            UNIQUE (database, owner, name)) STRICT;
        CREATE TABLE zone_tombstones (
            database INTEGER NOT NULL, user TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
            sequence INTEGER NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (database, user, owner, name)) STRICT, WITHOUT ROWID;
        CREATE INDEX zone_tombstones_by_time ON zone_tombstones (time);
        CREATE TABLE zone_horizons (
            database INTEGER NOT NULL, user TEXT NOT NULL, sequence INTEGER NOT NULL,
            PRIMARY KEY (database, user)) STRICT, WITHOUT ROWID;
        CREATE TABLE types (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            permissions INTEGER NOT NULL DEFAULT \(TypePermissions.standard.rawValue)) STRICT;
        CREATE TABLE conditions (
            type TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (type, text)) STRICT, WITHOUT ROWID;
        CREATE TABLE fields (
            id INTEGER PRIMARY KEY, type INTEGER NOT NULL REFERENCES types (id), name TEXT NOT NULL,
            kind INTEGER NOT NULL, indexes INTEGER NOT NULL DEFAULT 0, UNIQUE (type, name)) STRICT;
        CREATE TABLE system_fields (
            type INTEGER NOT NULL REFERENCES types (id), field INTEGER NOT NULL, indexes INTEGER NOT NULL,
            PRIMARY KEY (type, field)) STRICT, WITHOUT ROWID;
        CREATE TABLE records (
            id INTEGER PRIMARY KEY, zone INTEGER NOT NULL REFERENCES zones (id), name TEXT NOT NULL,
            type INTEGER NOT NULL REFERENCES types (id), sequence INTEGER NOT NULL, has_feed INTEGER NOT NULL DEFAULT 0,
            parent TEXT, body BLOB NOT NULL, indexed BLOB NOT NULL, UNIQUE (zone, name)) STRICT;
        CREATE INDEX records_by_parent ON records (zone, parent) WHERE parent IS NOT NULL;
        CREATE INDEX records_of_type ON records (type, zone);
        CREATE INDEX records_by_change ON records (zone, sequence) WHERE has_feed;
        CREATE TABLE entries (
            "index" INTEGER NOT NULL, zone INTEGER NOT NULL, key ANY NOT NULL, record INTEGER NOT NULL,
            PRIMARY KEY ("index", zone, key, record)) STRICT, WITHOUT ROWID;
        CREATE VIRTUAL TABLE words USING fts5 (
            text, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
        CREATE TABLE tombstones (
            zone INTEGER NOT NULL REFERENCES zones (id) ON DELETE CASCADE, sequence INTEGER NOT NULL, name TEXT NOT NULL,
            type INTEGER NOT NULL REFERENCES types (id), time INTEGER NOT NULL, roots TEXT NOT NULL, PRIMARY KEY (zone, sequence)) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX tombstones_by_name ON tombstones (zone, name);
        CREATE INDEX tombstones_by_time ON tombstones (time);
        CREATE TABLE cascades (
            zone INTEGER NOT NULL, target TEXT NOT NULL,
            record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
            PRIMARY KEY (zone, target, record)) STRICT, WITHOUT ROWID;
        CREATE INDEX cascades_of_record ON cascades (record);
        CREATE TABLE shares (
            id INTEGER PRIMARY KEY, zone INTEGER NOT NULL REFERENCES zones (id) ON DELETE CASCADE, name TEXT NOT NULL,
            root TEXT, guid TEXT NOT NULL UNIQUE, public_permission INTEGER NOT NULL, epoch INTEGER NOT NULL,
            UNIQUE (zone, name)) STRICT;
        CREATE TABLE participants (
            share INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE, place INTEGER NOT NULL, user TEXT NOT NULL,
            permission INTEGER NOT NULL, is_public INTEGER NOT NULL, accepted INTEGER NOT NULL,
            PRIMARY KEY (share, user)) STRICT, WITHOUT ROWID;
        CREATE INDEX participants_by_user ON participants (user) WHERE accepted > 0;
        CREATE TABLE subscriptions (
            user TEXT NOT NULL, database INTEGER NOT NULL, id TEXT NOT NULL, created INTEGER NOT NULL,
            saved INTEGER NOT NULL, condition BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (user, database, id),
            UNIQUE (user, database, condition)) STRICT;
        CREATE TABLE superseded (sequence INTEGER PRIMARY KEY, key BLOB NOT NULL, time INTEGER NOT NULL) STRICT;
        CREATE TABLE users (
            name TEXT PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, created INTEGER NOT NULL,
            device_event INTEGER NOT NULL DEFAULT 0, UNIQUE (issuer, subject)) STRICT;
        CREATE TABLE devices (
            id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users (name), epoch INTEGER NOT NULL, name TEXT NOT NULL,
            platform TEXT NOT NULL, registered INTEGER NOT NULL, last_seen INTEGER NOT NULL) STRICT;
        CREATE INDEX devices_of_user ON devices (user);
        CREATE TABLE api_tokens (digest BLOB PRIMARY KEY, note TEXT NOT NULL, created INTEGER NOT NULL) STRICT;
        CREATE TABLE outbox (
            sequence INTEGER PRIMARY KEY, destination INTEGER NOT NULL, key BLOB NOT NULL, value BLOB,
            time INTEGER NOT NULL) STRICT;
        CREATE TABLE positions (reader TEXT PRIMARY KEY, position BLOB NOT NULL) STRICT;
        """
}
