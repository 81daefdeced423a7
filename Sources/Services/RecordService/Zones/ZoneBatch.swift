import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// Applies the operations of one `zones/modify` within its transaction. An operation checks everything before it
/// changes anything.
final class ZoneBatch {
    private let commit: Commit
    private let origin: Origin
    /// The number of custom zones of the user, once that was counted.
    private var zoneCount: Int?
    /// The number of zones that the user has lost, once that was counted.
    private var lostCount: Int?
    /// The subscriptions that watch one zone alone, once they were read.
    private var watching: [ZoneName: [StoredSubscription]]?

    init(_ commit: Commit, origin: Origin) {
        self.commit = commit
        self.origin = origin
    }

    private var transaction: any StoreTransaction { commit.transaction }

    /// Makes a zone; one that is there stays as it is.
    func create(_ given: GivenZone) throws -> StoredZone? {
        let id = try own(given)
        guard id.name != .defaultZone else { return nil }
        if let existing = try transaction.customZone(id, in: .private) { return existing }
        let count = try zoneCount ?? transaction.customZoneCount(of: id.owner, in: .private)
        guard count < Limits.zonesPerUserMax else {
            throw CloudError.exceeded(
                ExceededLimit("zonesPerUserMax", Limits.zonesPerUserMax, of: .number),
                "a user has at most \(Limits.zonesPerUserMax) custom zones; delete some before you create '\(id.name)'")
        }
        let lost = try lostCount ?? transaction.zoneTombstoneCount(of: id.owner, in: .private)
        lostCount = lost
        guard lost < Limits.zoneTombstonesMax else {
            throw CloudError(
                .throttled,
                "\(lost) zones were deleted, which change feeds still return; '\(id.name)' can be made when the first of them are forgotten. Use zones again instead of new ones",
                retryAfterSeconds: 86_400)
        }
        let sequence = try transaction.nextSequence()
        try transaction.addZone(id, in: .private, at: sequence)
        try transaction.removeZoneTombstone(id, of: id.owner, in: .private)
        zoneCount = count + 1
        try commit.publish(CommittedChange(kind: .created, database: .private, origin: origin, zone: id), at: sequence)
        return StoredZone(id: id, created: sequence, changed: sequence, horizon: .zero)
    }

    /// Deletes a zone, and the subscriptions that watch only it. Its content is invisible at once and is removed later,
    /// in steps (`RecordService.removeDroppedZones`). The default zone is emptied so, and stays.
    func delete(_ given: GivenZone) throws -> ZoneID {
        let id = try own(given)
        guard id.name != .defaultZone else {
            try transaction.emptyZone(id, in: .private, by: origin)
            return id
        }
        guard try transaction.customZone(id, in: .private) != nil else {
            throw CloudError(.zoneNotFound, "there is no zone \(given) that could be deleted")
        }
        let sequence = try transaction.nextSequence()
        let participants = try transaction.acceptedParticipants(in: id)
        for user in participants {
            try transaction.addZoneTombstone(
                ZoneTombstone(id: id, sequence: sequence), of: user, in: .shared, commit.serviceTime)
        }
        try transaction.addUsage(-Int64(try transaction.shareCounts(in: id).shares), .shares, of: id.owner)
        try transaction.dropZone(id, in: .private)
        (zoneCount, lostCount) = (nil, nil)
        try transaction.addZoneTombstone(
            ZoneTombstone(id: id, sequence: sequence), of: id.owner, in: .private, commit.serviceTime)
        try commit.publish(CommittedChange(kind: .deleted, database: .private, origin: origin, zone: id), at: sequence)
        for part in participants.parts(of: Limits.participantsPerChangeMax) {
            try commit.publish(
                CommittedChange(
                    kind: .deleted, database: .shared, origin: origin, zone: id, participants: Array(part)))
        }
        let versions = SubscriptionVersions(commit: commit)
        for stored in try subscriptions(watching: id) { try versions.delete(stored) }
        return id
    }

    /// Subscriptions that watch only a deleted zone: a zone created again under its name is another one. A request
    /// deletes a zone once, so the rows read for the first deletion hold for all.
    private func subscriptions(watching zone: ZoneID) throws -> [StoredSubscription] {
        if watching == nil {
            watching = Dictionary(
                grouping: try transaction.subscriptions(of: zone.owner, in: .private).compactMap { stored in
                    try stored.subscription().condition.zone.map { (zone: $0, stored: stored) }
                }, by: \.zone
            ).mapValues { $0.map(\.stored) }
        }
        return watching?[zone.name] ?? []
    }

    private func own(_ given: GivenZone) throws(CloudError) -> ZoneID {
        guard given.owner == nil || given.owner == origin.user else {
            throw CloudError(.accessDenied, "the zone \(given) is another user's; only its owner makes or deletes it")
        }
        return ZoneID(name: given.name, owner: origin.user)
    }
}
