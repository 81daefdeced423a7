import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    private static let couriers = "SELECT c.device, c.client, c.apns_environment, c.token, c.expires FROM couriers c"

    func courier(_ device: DeviceID) throws -> StoredCourier? {
        try connection.first("\(Self.couriers) WHERE c.device = ?", .text(device.rawValue), read: Self.courier)
    }

    func couriers(of user: UserRecordName) throws -> [StoredCourier] {
        try connection.query(
            """
            \(Self.couriers) JOIN devices d ON d.id = c.device LEFT JOIN device_heard h ON h.device = c.device
            WHERE d.user = ? ORDER BY coalesce(h.time, d.last_seen), d.epoch
            """,
            .text(user.rawValue), read: Self.courier)
    }

    func endedCouriers(before time: Timestamp, limit: Int) throws -> [StoredCourier] {
        try connection.query(
            "\(Self.couriers) WHERE c.expires < ? ORDER BY c.expires LIMIT ?", .integer(time.milliseconds),
            .integer(Int64(limit)), read: Self.courier)
    }

    func save(_ courier: StoredCourier) throws {
        try connection.run(
            """
            INSERT INTO couriers (device, client, apns_environment, token, expires) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET client = excluded.client, apns_environment = excluded.apns_environment,
                token = excluded.token, expires = excluded.expires
            """,
            .text(courier.device.rawValue), .optional(courier.client?.rawValue),
            .text(courier.apnsEnvironment.rawValue),
            .optional(courier.token), .integer(courier.expires.milliseconds))
    }

    private static func courier(_ row: SQLiteStatement) -> StoredCourier {
        StoredCourier(
            device: DeviceID(trusted: row.text(0)), client: row.optionalText(1).map { DeviceID(trusted: $0) },
            apnsEnvironment: APNSEnvironment(rawValue: row.text(2)) ?? .development, token: row.optionalText(3),
            expires: Timestamp(milliseconds: row.integer(4)))
    }
}
