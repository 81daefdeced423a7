import CloudModel
import RecordStore
import SQLite

extension StoreSchema {
    /// Policies that users chose for devices, and deliveries that will be due.
    static let policyTables = """
        CREATE TABLE IF NOT EXISTS device_policies (
            device TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, policies BLOB NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS due_deliveries (
            user TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (user, at)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS due_deliveries_by_time ON due_deliveries (due);
        """
}

extension SQLiteTransaction: PolicyTransaction {
    func policies(of device: DeviceID) throws -> [UInt8]? {
        try connection.first("SELECT policies FROM device_policies WHERE device = ?", .text(device.rawValue)) {
            $0.blob(0)
        }
    }

    func setPolicies(_ policies: [UInt8]?, of device: DeviceID) throws {
        guard let policies else {
            return try connection.run("DELETE FROM device_policies WHERE device = ?", .text(device.rawValue))
        }
        try connection.run(
            """
            INSERT INTO device_policies (device, policies) VALUES (?, ?)
            ON CONFLICT (device) DO UPDATE SET policies = excluded.policies
            """, .text(device.rawValue), .blob(policies))
    }

    func dueDeliveries(limit: Int) throws -> [DueDelivery] {
        try connection.query(
            "SELECT user, at, due FROM due_deliveries ORDER BY due, user, at LIMIT ?", .integer(Int64(limit))
        ) {
            DueDelivery(
                user: UserRecordName(trusted: $0.text(0)), at: $0.integer(1),
                due: Timestamp(milliseconds: $0.integer(2)))
        }
    }

    func add(_ delivery: DueDelivery) throws {
        try connection.run(
            "INSERT OR IGNORE INTO due_deliveries (user, at, due) VALUES (?, ?, ?)", .text(delivery.user.rawValue),
            .integer(delivery.at), .integer(delivery.due.milliseconds))
    }

    func remove(_ delivery: DueDelivery) throws {
        try connection.run(
            "DELETE FROM due_deliveries WHERE user = ? AND at = ?", .text(delivery.user.rawValue),
            .integer(delivery.at))
    }

    func forgetDueDeliveries(of user: UserRecordName) throws {
        try connection.run("DELETE FROM due_deliveries WHERE user = ?", .text(user.rawValue))
    }
}
