/// Sessions, and what else can be taken back.
extension StoreSchema {
    /// Users' own switches and the operators'; `identity_changes` has the users with a revocation, or no name for one
    /// of all users.
    static let accountTables = """
        CREATE TABLE IF NOT EXISTS accounts (
            name TEXT PRIMARY KEY REFERENCES users (name), session_epoch INTEGER NOT NULL DEFAULT 0,
            is_blocked INTEGER NOT NULL DEFAULT 0, is_discoverable INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE INDEX IF NOT EXISTS accounts_discoverable ON accounts (name) WHERE is_discoverable;
        CREATE TABLE IF NOT EXISTS ended_sessions (
            user TEXT NOT NULL, session INTEGER NOT NULL, until INTEGER NOT NULL,
            PRIMARY KEY (user, session)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS ended_sessions_by_end ON ended_sessions (until);
        CREATE TABLE IF NOT EXISTS held_invitations (
            invited TEXT PRIMARY KEY REFERENCES users (name), user TEXT NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS held_invitations_of_user ON held_invitations (user);
        CREATE TABLE IF NOT EXISTS identity_changes (
            version INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL) STRICT;
        CREATE INDEX IF NOT EXISTS participants_of_user ON participants (user);
        """
}
