import CloudModel
import RecordStore

extension RecordService {
    /// Takes the caller out of all shares of zones, each in as many commits as it takes; each zone fails by itself.
    func leaveZones(_ zones: [GivenZone], for caller: Caller) async throws -> [ZoneResult] {
        var results: [ZoneResult] = []
        for given in zones {
            do {
                var left: ZoneID?
                while let zone = try await leaveSome(of: given, isFirst: left == nil, for: caller) { left = zone }
                if let left { results.append(.zone(Zone(id: left, syncToken: nil, isAtomic: true, isDeleted: true))) }
            } catch let error as CloudError {
                results.append(.failed(given, error))
            }
        }
        return results
    }

    /// Leaves shares of a zone until the commit is full.
    /// - Returns: nil if there were none.
    /// - Throws: `ZONE_NOT_FOUND` the first time that there are none.
    private func leaveSome(of given: GivenZone, isFirst: Bool, for caller: Caller) async throws -> ZoneID? {
        let user = try caller.signedIn(to: "leaving a zone")
        return try await commit(in: .database(given.owner ?? user)) { [self] commit in
            let transaction = commit.transaction
            let reached: ReachedZone
            do {
                reached = try Self.reach(given, in: .shared, for: caller, transaction)
            } catch let error as CloudError where error.code == .zoneNotFound && !isFirst {
                return nil
            }
            let origin = try Self.origin(of: user, caller.client, transaction)
            let writer = RecordWriter(zone: zone(reached.id, in: .private, of: origin, commit))
            let start = transaction.movedBytes
            for share in try transaction.acceptedShares(of: user, in: reached.id) {
                try writer.leave(share.name, user)
                guard transaction.movedBytes - start < Limits.stepBytes else { break }
            }
            return reached.id
        }
    }
}
