import CloudModel
import EventLog
import Messages
import RecordStore

/// Applies the operations of one `zones/modify` within its transaction. An operation checks everything before it changes
/// anything.
struct ZoneBatch {
    let transaction: any StoreTransaction
    let layout: TopicLayout
    let store: UInt64
    let origin: Origin
    let time: Timestamp

    /// Makes a zone; one that is there stays as it is.
    func create(_ given: GivenZone) throws -> StoredZone? {
        let id = try own(given)
        guard id.name != .defaultZone else { return nil }
        if let existing = try transaction.customZone(id, in: .private) { return existing }
        let count = try transaction.customZones(of: id.owner, in: .private).count
        guard count < Limits.zonesPerUserMax else {
            throw CloudError(
                .quotaExceeded,
                "a user has at most \(Limits.zonesPerUserMax) custom zones; delete some before you create '\(id.name)'")
        }
        let sequence = try transaction.nextSequence()
        try transaction.addZone(id, in: .private, at: sequence)
        try transaction.removeZoneTombstone(id, of: id.owner, in: .private)
        try publish(sequence, .created, id)
        return StoredZone(id: id, created: sequence, changed: sequence, horizon: .zero)
    }

    /// Deletes a zone with all that is in it, and the subscriptions that watch it alone.
    func delete(_ given: GivenZone) throws -> ZoneID {
        let id = try own(given)
        guard id.name != .defaultZone else {
            throw CloudError.badRequest("\(id.name) cannot be deleted; delete its records instead")
        }
        guard try transaction.customZone(id, in: .private) != nil else {
            throw CloudError(.zoneNotFound, "there is no zone \(given) that could be deleted")
        }
        let sequence = try transaction.nextSequence()
        try AssetLedger.countEnd(of: id, in: .private, transaction, at: time)
        let participants = try transaction.shares(in: id).flatMap(\.details.participants).filter(\.mayRead)
        for user in Set(participants.map(\.user)) {
            try transaction.addZoneTombstone(ZoneTombstone(id: id, sequence: sequence), of: user, in: .shared, time)
        }
        try transaction.deleteZone(id, in: .private)
        try transaction.addZoneTombstone(ZoneTombstone(id: id, sequence: sequence), of: id.owner, in: .private, time)
        try publish(sequence, .deleted, id)
        if !participants.isEmpty {
            try publish(
                try transaction.nextSequence(), .deleted, id, in: .shared,
                participants: Set(participants.map(\.user)).sorted())
        }
        try SubscriptionVersions(transaction: transaction, layout: layout, store: store, time: time)
            .deleteAll(watching: id)
        return id
    }

    private func own(_ given: GivenZone) throws(CloudError) -> ZoneID {
        guard given.owner == nil || given.owner == origin.user else {
            throw CloudError(.accessDenied, "the zone \(given) is another user's; only its owner makes or deletes it")
        }
        return ZoneID(name: given.name, owner: origin.user)
    }

    private func publish(
        _ sequence: Sequence, _ kind: Change.Kind, _ zone: ZoneID, in database: DatabaseScope = .private,
        participants: [UserRecordName] = []
    ) throws {
        let change = Change(
            sequence: sequence, lastSubscription: try transaction.lastSubscriptionSequence(), database: database,
            kind: kind, before: nil, after: nil, committed: time, origin: origin, zone: zone,
            participants: participants)
        try transaction.append(
            OutboxRow(
                sequence: sequence, destination: .changes(database), key: layout.zoneChangeKey(zone),
                value: ChangeEvent(change, store: store).encoded(), time: time))
    }
}
