/// Tables that came after the first format: created if they are missing, in old files too. An older version of the
/// program does not know them and leaves them as they are.
extension StoreSchema {
    /// Tables of credentials and profiles.
    static let identityTables = """
        CREATE TABLE IF NOT EXISTS api_token_origins (
            digest BLOB NOT NULL, origin TEXT NOT NULL, PRIMARY KEY (digest, origin)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS server_keys (
            id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users (name), public_key TEXT NOT NULL,
            note TEXT NOT NULL, created INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS user_profiles (
            name TEXT PRIMARY KEY REFERENCES users (name), email TEXT, given_name TEXT, family_name TEXT) STRICT;
        CREATE INDEX IF NOT EXISTS profiles_by_email ON user_profiles (email) WHERE email IS NOT NULL;
        """

    /// Files of records, by checksum. One without a reference stays for a while, from `since` on.
    static let assetTables = """
        CREATE TABLE IF NOT EXISTS assets (
            checksum TEXT PRIMARY KEY, size INTEGER NOT NULL, reference_count INTEGER NOT NULL DEFAULT 0,
            since INTEGER NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS assets_unreferenced ON assets (since) WHERE reference_count = 0;
        """

    /// Web couriers, each a device of its own; `token` is the change token after what it handed out.
    static let courierTables = """
        CREATE TABLE IF NOT EXISTS couriers (
            device TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, client TEXT, apns_environment TEXT NOT NULL,
            token TEXT, expires INTEGER NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS couriers_by_end ON couriers (expires);
        """

    /// Addresses of pushes, sealed; `code` finds an address without reading one. `sequence` is that of its last entry in
    /// `push-addresses`, `since` that of the registration. `push_statuses` has the statuses of the last answers, where they
    /// are known.
    static let pushAddressTables = """
        CREATE TABLE IF NOT EXISTS push_addresses (
            device TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, kind TEXT NOT NULL, code BLOB NOT NULL UNIQUE,
            sealed BLOB NOT NULL, contents TEXT NOT NULL, sequence INTEGER NOT NULL, since INTEGER NOT NULL,
            registered INTEGER NOT NULL, succeeded INTEGER, failed INTEGER, failure TEXT,
            PRIMARY KEY (device, kind)) STRICT;
        CREATE TABLE IF NOT EXISTS push_statuses (
            device TEXT NOT NULL, kind TEXT NOT NULL, succeeded INTEGER, failed INTEGER, PRIMARY KEY (device, kind),
            FOREIGN KEY (device, kind) REFERENCES push_addresses (device, kind) ON DELETE CASCADE) STRICT, WITHOUT ROWID;
        """

    /// Acts of operators, in order.
    static let operatorTables = """
        CREATE TABLE IF NOT EXISTS operator_actions (
            number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, who TEXT NOT NULL, role TEXT NOT NULL,
            act TEXT NOT NULL, subject TEXT NOT NULL, request TEXT NOT NULL, outcome TEXT NOT NULL) STRICT;
        """

    /// The change token that each device asked with last, where it was noted.
    static let deviceTables = """
        CREATE TABLE IF NOT EXISTS device_tokens (
            device TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, token TEXT NOT NULL) STRICT;
        """

    /// Participants of shares with the right to change participants.
    static let shareTables = """
        CREATE TABLE IF NOT EXISTS share_administrators (
            share INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE, user TEXT NOT NULL,
            PRIMARY KEY (share, user)) STRICT, WITHOUT ROWID;
        """

    /// Indexes of bounded reads: shares by their root.
    static let boundedWork = """
        CREATE INDEX IF NOT EXISTS shares_by_root ON shares (zone, root);
        """

    /// Owners of superseded versions of subscriptions, and the last change of each database: in a file from before, all
    /// that was committed counts as one.
    static let versionTables = """
        CREATE TABLE IF NOT EXISTS superseded_of (
            sequence INTEGER PRIMARY KEY REFERENCES superseded (sequence) ON DELETE CASCADE, user TEXT NOT NULL,
            database INTEGER NOT NULL, id TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS superseded_of_subscription ON superseded_of (user, database, id, sequence);
        CREATE TABLE IF NOT EXISTS last_changes (database INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
        INSERT OR IGNORE INTO last_changes SELECT 1, sequence FROM store;
        INSERT OR IGNORE INTO last_changes SELECT 2, sequence FROM store;
        INSERT OR IGNORE INTO last_changes SELECT 3, sequence FROM store;
        """

    /// Tables of usage (`UsageCount` fills them once from `records`, noted in `usage_state`), buckets of registrations, and recent uploads.
    static let usageTables = """
        CREATE TABLE IF NOT EXISTS usage (
            user TEXT NOT NULL, kind INTEGER NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (user, kind)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS usage_state (id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE IF NOT EXISTS registrations (user TEXT PRIMARY KEY, full INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS uploads (
            nonce TEXT PRIMARY KEY, user TEXT NOT NULL, size INTEGER NOT NULL, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS uploads_by_time ON uploads (time);
        CREATE TABLE IF NOT EXISTS uploaders (
            user TEXT NOT NULL, checksum TEXT NOT NULL, time INTEGER NOT NULL,
            PRIMARY KEY (user, checksum)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS uploaders_of_file ON uploaders (checksum);
        CREATE INDEX IF NOT EXISTS uploaders_by_time ON uploaders (time);
        """
}
