import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    /// The columns of `devices` that `device` reads; devices of an older file were not heard of by the service clock.
    static let deviceColumns = """
        id, user, epoch, name, platform, registered, last_seen,
            (SELECT token FROM device_tokens WHERE device = id), (SELECT time FROM device_heard WHERE device = id)
        """

    func device(_ id: DeviceID) throws -> StoredDevice? {
        try connection.first(
            """
            SELECT \(Self.deviceColumns) FROM devices WHERE id = ?
            """, .text(id.rawValue), read: Self.device)
    }

    func devices(of user: UserRecordName) throws -> [StoredDevice] {
        try connection.query(
            """
            SELECT \(Self.deviceColumns) FROM devices WHERE user = ? ORDER BY epoch
            """, .text(user.rawValue), read: Self.device)
    }

    func silentDevices(before time: Timestamp, limit: Int) throws -> [StoredDevice] {
        try connection.query(
            """
            SELECT \(Self.deviceColumns) AS heard FROM devices WHERE coalesce(heard, last_seen) < ?
            ORDER BY coalesce(heard, last_seen) LIMIT ?
            """, .integer(time.milliseconds), .integer(Int64(limit)), read: Self.device)
    }

    func save(_ device: StoredDevice) throws {
        try connection.run(
            """
            INSERT INTO devices (id, user, epoch, name, platform, registered, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET user = excluded.user, epoch = excluded.epoch, name = excluded.name,
                platform = excluded.platform, registered = excluded.registered, last_seen = excluded.last_seen
            """,
            .text(device.device.id.rawValue), .text(device.device.user.rawValue),
            .integer(device.device.epoch.rawValue), .text(device.device.name), .text(device.device.platform),
            .integer(device.device.registered.milliseconds), .integer(device.lastSeen.milliseconds))
        let id = SQLiteValue.text(device.device.id.rawValue)
        try connection.run(
            """
            INSERT INTO device_heard (device, time) VALUES (?, ?) ON CONFLICT (device) DO UPDATE SET time = excluded.time
            """, id, .integer(device.lastHeard.milliseconds))
        if let token = device.token {
            try connection.run(
                """
                INSERT INTO device_tokens (device, token) VALUES (?, ?)
                ON CONFLICT (device) DO UPDATE SET token = excluded.token
                """, id, .text(token))
        } else {
            try connection.run("DELETE FROM device_tokens WHERE device = ?", id)
        }
    }

    func deleteDevice(_ id: DeviceID) throws {
        try connection.run("DELETE FROM devices WHERE id = ?", .text(id.rawValue))
    }

    func user(_ identity: UserIdentity) throws -> UserRecordName? {
        try connection.first(
            "SELECT name FROM users WHERE issuer = ? AND subject = ?", .text(identity.issuer), .text(identity.subject)
        ) { UserRecordName(trusted: $0.text(0)) }
    }

    func addUser(_ name: UserRecordName, _ identity: UserIdentity, at time: Timestamp) throws {
        try connection.run(
            "INSERT INTO users (name, issuer, subject, created) VALUES (?, ?, ?, ?)", .text(name.rawValue),
            .text(identity.issuer), .text(identity.subject), .integer(time.milliseconds))
    }

    func setIdentity(_ identity: UserIdentity, of name: UserRecordName) throws {
        try connection.run(
            "UPDATE users SET issuer = ?, subject = ? WHERE name = ?", .text(identity.issuer), .text(identity.subject),
            .text(name.rawValue))
    }

    func lastDeviceEvent(of user: UserRecordName) throws -> CommitSequence {
        try connection.first("SELECT device_event FROM users WHERE name = ?", .text(user.rawValue)) {
            CommitSequence($0.integer(0))
        } ?? .zero
    }

    func noteDeviceEvent(of user: UserRecordName, _ sequence: CommitSequence) throws {
        try connection.run(
            "UPDATE users SET device_event = ? WHERE name = ?", .integer(sequence.rawValue), .text(user.rawValue))
    }

    func hasAPIToken(digest: [UInt8]) throws -> Bool {
        try connection.first("SELECT 1 FROM api_tokens WHERE digest = ?", .blob(digest)) { _ in true } ?? false
    }

    func addAPIToken(digest: [UInt8], note: String, at time: Timestamp) throws {
        try connection.run(
            "INSERT INTO api_tokens (digest, note, created) VALUES (?, ?, ?)", .blob(digest), .text(note),
            .integer(time.milliseconds))
    }

    static func device(_ row: SQLiteStatement) -> StoredDevice {
        let device = Device(
            id: DeviceID(trusted: row.text(0)), user: UserRecordName(trusted: row.text(1)),
            epoch: DeviceEpoch(row.integer(2)), name: row.text(3), platform: row.text(4),
            registered: Timestamp(milliseconds: row.integer(5)))
        return StoredDevice(
            device: device, lastSeen: Timestamp(milliseconds: row.integer(6)),
            lastHeard: row.optionalInteger(8).map { Timestamp(milliseconds: $0) }, token: row.optionalText(7))
    }
}
