import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction: AccountTransaction {
    // MARK: Sessions

    /// Changes that are remembered one by one; who looks less often takes all for changed.
    private static let identityChangesMax: Int64 = 1000

    func identityChanges(after version: Int64) throws -> (version: Int64, users: [UserRecordName]?) {
        let last = try connection.first("SELECT max(version) FROM identity_changes") { $0.integer(0) } ?? 0
        guard last > version else { return (last, []) }
        guard last - version < Self.identityChangesMax else { return (last, nil) }
        let users = try connection.query(
            "SELECT DISTINCT user FROM identity_changes WHERE version > ?", .integer(version)
        ) { $0.text(0) }
        return (last, users.contains("") ? nil : users.map { UserRecordName(trusted: $0) })
    }

    func noteIdentityChange(of user: UserRecordName?) throws {
        try connection.run("INSERT INTO identity_changes (user) VALUES (?)", .text(user?.rawValue ?? ""))
        try connection.run(
            "DELETE FROM identity_changes WHERE version <= ?",
            .integer(connection.lastInsertedRow - Self.identityChangesMax))
    }

    func account(of user: UserRecordName) throws -> StoredAccount? {
        let found = try connection.first(
            """
            SELECT u.issuer NOT IN ('invited', 'former', 'deleted'), coalesce(a.is_blocked, 0), coalesce(a.session_epoch, 0)
            FROM users u LEFT JOIN accounts a ON a.name = u.name WHERE u.name = ?
            """, .text(user.rawValue)
        ) {
            StoredAccount(
                exists: $0.integer(0) != 0, isBlocked: $0.integer(1) != 0, sessionEpoch: $0.integer(2),
                endedSessions: [])
        }
        guard var account = found else { return nil }
        account.endedSessions = Set(
            try connection.query("SELECT session FROM ended_sessions WHERE user = ?", .text(user.rawValue)) {
                UInt64(bitPattern: $0.integer(0))
            })
        return account
    }

    func endSessions(of user: UserRecordName) throws {
        try change(user, "session_epoch = session_epoch + 1")
        try connection.run("DELETE FROM ended_sessions WHERE user = ?", .text(user.rawValue))
    }

    func endSession(_ session: UInt64, of user: UserRecordName, until: Timestamp) throws {
        try connection.run(
            "INSERT INTO ended_sessions (user, session, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            .text(user.rawValue), .integer(Int64(bitPattern: session)), .integer(until.milliseconds))
    }

    func removeEndedSessions(before time: Timestamp) throws {
        try connection.run("DELETE FROM ended_sessions WHERE until < ?", .integer(time.milliseconds))
    }

    func setBlocked(_ isBlocked: Bool, _ user: UserRecordName) throws {
        try change(user, "is_blocked = \(isBlocked ? 1 : 0)")
    }

    /// Changes columns of a user's account, which is made if it is not there.
    private func change(_ user: UserRecordName, _ assignment: String) throws {
        try connection.run("INSERT INTO accounts (name) VALUES (?) ON CONFLICT DO NOTHING", .text(user.rawValue))
        try connection.run("UPDATE accounts SET \(assignment) WHERE name = ?", .text(user.rawValue))
    }

    // MARK: Finding users

    func isDiscoverable(_ user: UserRecordName) throws -> Bool {
        try connection.first("SELECT is_discoverable FROM accounts WHERE name = ?", .text(user.rawValue)) {
            $0.integer(0) != 0
        } ?? false
    }

    func setDiscoverable(_ isDiscoverable: Bool, _ user: UserRecordName) throws {
        try change(user, "is_discoverable = \(isDiscoverable ? 1 : 0)")
    }

    func discoverableProfiles(limit: Int) throws -> [UserProfile] {
        try connection.query(
            """
            SELECT a.name, p.email, p.given_name, p.family_name FROM accounts a
            LEFT JOIN user_profiles p ON p.name = a.name WHERE a.is_discoverable AND NOT a.is_blocked ORDER BY a.name LIMIT ?
            """, .integer(Int64(limit)), read: Self.profile)
    }

    func users(after name: String, limit: Int) throws -> [ListedUser] {
        try connection.query(
            """
            SELECT u.name, p.email, p.given_name, p.family_name, u.issuer, u.subject, u.created,
                coalesce(a.is_blocked, 0), coalesce(a.is_discoverable, 0)
            FROM users u LEFT JOIN user_profiles p ON p.name = u.name LEFT JOIN accounts a ON a.name = u.name
            WHERE u.name > ? AND u.issuer NOT IN ('invited', 'former', 'deleted') ORDER BY u.name LIMIT ?
            """, .text(name), .integer(Int64(limit))
        ) {
            ListedUser(
                profile: Self.profile($0), identity: UserIdentity(issuer: $0.text(4), subject: $0.text(5)),
                created: Timestamp(milliseconds: $0.integer(6)), isBlocked: $0.integer(7) != 0,
                isDiscoverable: $0.integer(8) != 0)
        }
    }

    // MARK: Invitations

    func invitationsHeld(by user: UserRecordName) throws -> [UserRecordName] {
        try connection.query(
            "SELECT invited FROM held_invitations WHERE user = ? ORDER BY invited", .text(user.rawValue)
        ) { UserRecordName(trusted: $0.text(0)) }
    }

    func holdInvitations(to invited: UserRecordName, for user: UserRecordName) throws {
        try setIdentity(UserIdentity(issuer: "former", subject: invited.rawValue), of: invited)
        try connection.run(
            "INSERT INTO held_invitations (invited, user) VALUES (?, ?) ON CONFLICT DO NOTHING",
            .text(invited.rawValue), .text(user.rawValue))
    }

    // MARK: The end of a user

    func removeIdentity(of user: UserRecordName) throws {
        try setIdentity(UserIdentity(issuer: "deleted", subject: user.rawValue), of: user)
        try connection.run("DELETE FROM user_profiles WHERE name = ?", .text(user.rawValue))
        try connection.run("DELETE FROM held_invitations WHERE user = ?", .text(user.rawValue))
        try change(user, "is_discoverable = 0, is_blocked = 1")
    }

    func sharesNaming(_ user: UserRecordName, limit: Int) throws -> [(zone: ZoneID, name: RecordName)] {
        try connection.query(
            """
            SELECT z.owner, z.name, s.name FROM participants p JOIN shares s ON s.id = p.share
            JOIN zones z ON z.id = s.zone WHERE p.user = ? ORDER BY s.id LIMIT ?
            """, .text(user.rawValue), .integer(Int64(limit))
        ) {
            let zone = ZoneID(name: ZoneName(trusted: $0.text(1)), owner: UserRecordName(trusted: $0.text(0)))
            return (zone, RecordName(trusted: $0.text(2)))
        }
    }

    func recordNames(
        in zone: ZoneID, of database: DatabaseScope, after name: String, limit: Int
    ) throws -> [RecordName] {
        guard let row = try zoneRow(zone, in: database) else { return [] }
        return try connection.query(
            "SELECT name FROM records WHERE zone = ? AND name > ? ORDER BY name LIMIT ?", .integer(row), .text(name),
            .integer(Int64(limit))
        ) { RecordName(trusted: $0.text(0)) }
    }

    func removeParticipant(_ user: UserRecordName, from share: RecordName, in zone: ZoneID) throws {
        guard let row = try zoneRow(zone, in: .private) else { return }
        for table in ["participants", "share_administrators"] {
            try connection.run(
                "DELETE FROM \(table) WHERE user = ? AND share IN (SELECT id FROM shares WHERE zone = ? AND name = ?)",
                .text(user.rawValue), .integer(row), .text(share.rawValue))
        }
    }

    // MARK: Tokens and keys

    func apiTokens() throws -> [ListedCredential] {
        try connection.query(
            "SELECT digest, note, created, lower(hex(digest)) FROM api_tokens ORDER BY created, digest"
        ) {
            (
                $0.blob(0),
                ListedCredential(
                    id: $0.text(3), note: $0.text(1), created: Timestamp(milliseconds: $0.integer(2)))
            )
        }.map { digest, token in
            var token = token
            token.origins = try origins(ofAPIToken: digest)
            return token
        }
    }

    func serverKeys() throws -> [ListedCredential] {
        try connection.query("SELECT id, note, created FROM server_keys ORDER BY created, id") {
            ListedCredential(
                id: $0.text(0), note: $0.text(1), created: Timestamp(milliseconds: $0.integer(2)))
        }
    }

    func removeAPIToken(digest: [UInt8]) throws -> Bool {
        guard try hasAPIToken(digest: digest) else { return false }
        try connection.run("DELETE FROM api_token_origins WHERE digest = ?", .blob(digest))
        try connection.run("DELETE FROM api_tokens WHERE digest = ?", .blob(digest))
        return true
    }

    func removeServerKey(_ id: String) throws -> Bool {
        guard try serverKey(id) != nil else { return false }
        try connection.run("DELETE FROM server_keys WHERE id = ?", .text(id))
        return true
    }
}
