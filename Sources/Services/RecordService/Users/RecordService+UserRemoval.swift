import CloudMessages
package import CloudModel
import RecordStore

/// The end of a user: in steps, each a commit of its own, so that others go on between them and an interrupted removal
/// is taken up by doing it again.
extension RecordService {
    /// The numbers of things that a removal has removed.
    package struct UserRemoval: Hashable, Sendable {
        /// Devices. Web couriers end with the sessions.
        package var devices = 0
        /// Subscriptions in all databases.
        package var subscriptions = 0
        /// Shares of others that named the user.
        package var shares = 0
        /// Custom zones, with all that was in them.
        package var zones = 0
        /// Records of the default zone.
        package var records = 0
        /// Files that nothing refers to any more; the bytes are gone.
        package var files = 0
    }

    /// Removes everything of a user: devices, subscriptions, memberships in shares, the private database with its
    /// files, and the user's own record; then delivery removes journal, feeds and state. Other records in the public
    /// database stay. `IdentityService.removeUser` comes first, so that nothing is added. `RecordStore.eraseDeleted`
    /// afterwards overwrites the deleted rows.
    package func removeAll(of user: UserRecordName) async throws -> UserRemoval {
        var removal = UserRemoval()
        removal.devices = try await removeDevices(of: user)
        removal.subscriptions = try await removeSubscriptions(of: user)
        removal.shares = try await leaveShares(of: user)
        let caller = Caller(user: user)
        var files = Set(try await store.read { try $0.uploads(by: user) })
        files.formUnion(
            try await self.files(of: RecordID(database: .public, zone: .publicDefault, name: RecordName(of: user))))
        for zone in try await listZones(in: .private, for: caller) where zone.id.name != .defaultZone {
            files.formUnion(try await self.files(in: zone.id))
            let given = GivenZone(name: zone.id.name)
            for result in try await modifyZones(
                [ZoneOperation(kind: .delete, zone: given)], in: .private, for: caller)
            {
                if case .failed(_, let error) = result { throw error }
                removal.zones += 1
            }
        }
        files.formUnion(try await self.files(in: ZoneID(name: .defaultZone, owner: user)))
        removal.records = try await removeRecords(of: user)
        try await removeUserRecord(of: user)
        // The running service looks for dropped zones at its start and after its own deletions only.
        try await removeDroppedZones()
        removal.files = try await removeFiles(files, of: user)
        try await store.write(in: .user(user)) {
            try $0.forgetUploads(by: user)
            try $0.forgetBackfills(of: user)
            try $0.forgetZones(of: user)
            try $0.forgetDueDeliveries(of: user)
        }
        try await commit(in: .user(user)) { try $0.publishRemoval(of: user) }
        return removal
    }

    private func removeDevices(of user: UserRecordName) async throws -> Int {
        return try await commit(in: .user(user)) { commit in
            let devices = try commit.transaction.devices(of: user)
            for device in devices { try commit.removeDevice(device.device.id) }
            return devices.count
        }
    }

    private func removeSubscriptions(of user: UserRecordName) async throws -> Int {
        var removed = 0
        for database in DatabaseScope.allCases {
            let ids = try await store.read { try $0.subscriptions(of: user, in: database).map(\.key.id) }
            for start in stride(from: 0, to: ids.count, by: Limits.operationsMax) {
                let step = ids[start..<min(start + Limits.operationsMax, ids.count)]
                _ = try await modifySubscriptions(
                    step.map { SubscriptionOperation.delete($0) }, in: database, for: Caller(user: user))
                removed += step.count
            }
        }
        return removed
    }

    private func leaveShares(of user: UserRecordName) async throws -> Int {
        var left = 0
        while true {
            let step = try await commit(in: .whole) { [self] commit in
                let shares = try commit.transaction.sharesNaming(user, limit: Limits.operationsMax)
                let origin = Origin(user: user, device: nil, epoch: nil)
                for share in shares {
                    try RecordWriter(zone: zone(share.zone, in: .private, of: origin, commit)).leave(share.name, user)
                }
                return shares.count
            }
            guard step > 0 else { return left }
            left += step
        }
    }

    /// Empties the default zone; returns the number of its records.
    private func removeRecords(of user: UserRecordName) async throws -> Int {
        let zone = ZoneID(name: .defaultZone, owner: user)
        var (count, last) = (0, "")
        while true {
            let (from, limit) = (last, Limits.operationsMax)
            let names = try await store.read { try $0.recordNames(in: zone, of: .private, after: from, limit: limit) }
            count += names.count
            guard names.count == limit, let next = names.last else { break }
            last = next.rawValue
        }
        guard count > 0 else { return 0 }
        let deletion = ZoneOperation(kind: .delete, zone: .default)
        for case .failed(_, let error) in try await modifyZones([deletion], in: .private, for: Caller(user: user)) {
            throw error
        }
        return count
    }
}
