import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    func origins(ofAPIToken digest: [UInt8]) throws -> [String] {
        try connection.query(
            "SELECT origin FROM api_token_origins WHERE digest = ? ORDER BY origin", .blob(digest)
        ) { $0.text(0) }
    }

    func addOrigin(_ origin: String, toAPIToken digest: [UInt8]) throws {
        try connection.run(
            "INSERT INTO api_token_origins (digest, origin) VALUES (?, ?) ON CONFLICT DO NOTHING", .blob(digest),
            .text(origin))
    }

    func serverKey(_ id: String) throws -> StoredServerKey? {
        try connection.first("SELECT user, public_key FROM server_keys WHERE id = ?", .text(id)) {
            StoredServerKey(id: id, user: UserRecordName(trusted: $0.text(0)), publicKeyPEM: $0.text(1))
        }
    }

    func addServerKey(_ key: StoredServerKey, note: String, at time: Timestamp) throws {
        try connection.run(
            "INSERT INTO server_keys (id, user, public_key, note, created) VALUES (?, ?, ?, ?, ?)", .text(key.id),
            .text(key.user.rawValue), .text(key.publicKeyPEM), .text(note), .integer(time.milliseconds))
    }

    private static let profiles = """
        SELECT u.name, p.email, p.given_name, p.family_name FROM users u LEFT JOIN user_profiles p ON p.name = u.name
        """

    func profile(of user: UserRecordName) throws -> UserProfile? {
        try connection.first(
            "\(Self.profiles) WHERE u.issuer NOT IN ('invited', 'former', 'deleted') AND u.name = ?",
            .text(user.rawValue), read: Self.profile)
    }

    func identity(of user: UserRecordName) throws -> UserIdentity? {
        try connection.first("SELECT issuer, subject FROM users WHERE name = ?", .text(user.rawValue)) {
            UserIdentity(issuer: $0.text(0), subject: $0.text(1))
        }
    }

    func profiles(withEmail email: String) throws -> [UserProfile] {
        try connection.query(
            "\(Self.profiles) WHERE p.email = ? ORDER BY u.created, u.name", .text(email), read: Self.profile)
    }

    func setProfile(_ profile: UserProfile) throws {
        try connection.run(
            """
            INSERT INTO user_profiles (name, email, given_name, family_name) VALUES (?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET
                email = excluded.email, given_name = excluded.given_name, family_name = excluded.family_name
            """,
            .text(profile.name.rawValue), .optional(profile.email), .optional(profile.givenName),
            .optional(profile.familyName))
    }

    static func profile(_ row: SQLiteStatement) -> UserProfile {
        UserProfile(
            name: UserRecordName(trusted: row.text(0)), email: row.optionalText(1), givenName: row.optionalText(2),
            familyName: row.optionalText(3))
    }
}
