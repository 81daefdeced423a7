import CloudModel
import RecordService

/// The zone that the first user shares with the second one.
extension Players {
    private static let zone = ZoneName(trusted: "shared")

    static func playShare(_ step: Script.Step, _ service: RecordService) async throws {
        switch step {
        case .share: try await share(by: service)
        case .saveInShare(let user, let device, let record, let number):
            let caller = Caller(user: World.users[user], client: device.map { World.device(user, $0) })
            do {
                _ = try await service.modifyRecords(
                    [makeSave("r\(record)", number)], in: database(of: user),
                    zone: GivenZone(name: zone, owner: World.users[0]), for: caller)
            } catch let error as CloudError where error.code == .zoneNotFound {
                // It is not shared yet.
            }
        case .watchZones(let user):
            let draft = SubscriptionDraft.database(
                id: subscription, recordType: RecordType(trusted: "T"),
                notificationInfo: NotificationInfo(alertBody: "x"))
            _ = try await service.modifySubscriptions(
                [.create(draft)], in: database(of: user), for: Caller(user: World.users[user]))
        case .unwatchZones(let user):
            _ = try await service.modifySubscriptions(
                [.delete(subscription)], in: database(of: user), for: Caller(user: World.users[user]))
        default: break
        }
    }

    private static var subscription: SubscriptionID { SubscriptionID(trusted: "zones") }

    /// The database in which a user has the zone.
    private static func database(of user: Int) -> DatabaseScope { user == 0 ? .private : .shared }

    /// Makes the zone and its share, and accepts it, as far as that was not done before.
    private static func share(by service: RecordService) async throws {
        let (owner, other) = (Caller(user: World.users[0]), Caller(user: World.users[1]))
        _ = try await service.modifyZones(
            [ZoneOperation(kind: .create, zone: GivenZone(name: zone))], in: .private, for: owner)
        var operation = RecordOperation(kind: .forceUpdate, recordName: .zoneShare, recordType: .share)
        operation.share = GivenShare(publicPermission: .readWrite)
        let saved = try await service.modifyRecords(
            [operation], in: .private, zone: GivenZone(name: zone), for: owner)
        guard case .record(let record)? = saved.first, let guid = record.shareDetails?.shortGUID else {
            throw CloudError(.internalError, "the zone was not shared: \(saved)")
        }
        for result in try await service.acceptShares([guid], for: other) { _ = try result.get() }
    }
}
