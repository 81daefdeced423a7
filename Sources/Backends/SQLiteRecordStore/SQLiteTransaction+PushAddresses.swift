import CloudModel
import RecordStore
import SQLite

extension SQLiteTransaction {
    private static let pushAddresses = """
        SELECT a.device, a.kind, a.code, a.sealed, a.contents, a.sequence, a.since, a.registered, a.succeeded, a.failed,
            a.failure, s.succeeded, s.failed
        FROM push_addresses a LEFT JOIN push_statuses s ON s.device = a.device AND s.kind = a.kind
        """

    func pushAddresses(of device: DeviceID) throws -> [StoredPushAddress] {
        try connection.query(
            "\(Self.pushAddresses) WHERE a.device = ? ORDER BY a.kind", .text(device.rawValue), read: Self.pushAddress)
    }

    func pushAddresses(of user: UserRecordName) throws -> [StoredPushAddress] {
        try connection.query(
            "\(Self.pushAddresses) JOIN devices d ON d.id = a.device WHERE d.user = ? ORDER BY a.device, a.kind",
            .text(user.rawValue), read: Self.pushAddress)
    }

    func pushAddress(code: [UInt8]) throws -> StoredPushAddress? {
        try connection.first("\(Self.pushAddresses) WHERE a.code = ?", .blob(code), read: Self.pushAddress)
    }

    func pushAddresses(after device: DeviceID?, limit: Int) throws -> [StoredPushAddress] {
        try connection.query(
            """
            \(Self.pushAddresses) WHERE a.device IN (
                SELECT DISTINCT device FROM push_addresses WHERE device > ? ORDER BY device LIMIT ?)
            ORDER BY a.device, a.kind
            """, .text(device?.rawValue ?? ""), .integer(Int64(limit)), read: Self.pushAddress)
    }

    func save(_ address: StoredPushAddress) throws {
        try connection.run(
            """
            INSERT INTO push_addresses (
                device, kind, code, sealed, contents, sequence, since, registered, succeeded, failed, failure)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (device, kind) DO UPDATE SET code = excluded.code, sealed = excluded.sealed,
                contents = excluded.contents, sequence = excluded.sequence, since = excluded.since,
                registered = excluded.registered, succeeded = excluded.succeeded, failed = excluded.failed,
                failure = excluded.failure
            """,
            .text(address.device.rawValue), .text(address.kind.rawValue), .blob(address.code), .blob(address.sealed),
            .text(address.contents.rawValue), .integer(address.sequence.rawValue), .integer(address.since.rawValue),
            .integer(address.registered.milliseconds), .optional(address.lastSuccess?.milliseconds),
            .optional(address.lastFailure?.time.milliseconds), .optional(address.lastFailure?.reason))
        try saveStatuses(of: address)
    }

    private func saveStatuses(of address: StoredPushAddress) throws {
        let (device, kind) = (address.device.rawValue, address.kind.rawValue)
        let (succeeded, failed) = (address.lastSuccessStatus, address.lastFailure?.status)
        guard succeeded != nil || failed != nil else {
            try connection.run(
                "DELETE FROM push_statuses WHERE device = ? AND kind = ?", .text(device), .text(kind))
            return
        }
        try connection.run(
            """
            INSERT INTO push_statuses (device, kind, succeeded, failed) VALUES (?, ?, ?, ?)
            ON CONFLICT (device, kind) DO UPDATE SET succeeded = excluded.succeeded, failed = excluded.failed
            """,
            .text(device), .text(kind), .optional(succeeded.map { Int64($0) }), .optional(failed.map { Int64($0) }))
    }

    func removePushAddress(_ kind: CourierKind, of device: DeviceID) throws {
        try connection.run(
            "DELETE FROM push_addresses WHERE device = ? AND kind = ?", .text(device.rawValue), .text(kind.rawValue))
    }

    private static func pushAddress(_ row: SQLiteStatement) -> StoredPushAddress {
        var address = StoredPushAddress(
            device: DeviceID(trusted: row.text(0)), kind: CourierKind(row.text(1)), code: row.blob(2),
            sealed: row.blob(3), contents: PushContents(rawValue: row.text(4)) ?? .none,
            sequence: CommitSequence(row.integer(5)), registered: Timestamp(milliseconds: row.integer(7)))
        address.since = CommitSequence(row.integer(6))
        address.lastSuccess = row.optionalInteger(8).map { Timestamp(milliseconds: $0) }
        address.lastFailure = row.optionalInteger(9).map { time in
            StoredPushAddress.Failure(
                time: Timestamp(milliseconds: time), status: row.optionalInteger(12).map { Int($0) },
                reason: row.optionalText(10) ?? "")
        }
        address.lastSuccessStatus = row.optionalInteger(11).map { Int($0) }
        return address
    }
}
