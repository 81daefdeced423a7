import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Subscriptions with a backfill. Hits of later changes are held by reference until the partition that they come from
/// has delivered its share: the state has the position in `deliveries` of the first one, and they are read there again.
extension UserStep {
    /// Holds hits of a new subscription until its backfill is delivered.
    mutating func begin(_ event: BackfillBegun) {
        guard !delivery.backfills.contains(where: { $0.created == event.created }) else { return }
        delivery.backfills.append(
            BackfillState(created: event.created, partitions: event.partitions, database: event.database))
    }

    /// Delivers hits of backfills: each once, and not if its subscription is gone or its backfill is over. So they may
    /// come again in other entries, beside other hits.
    /// - Parameter name: of the entry, with the partition of changes and the change.
    mutating func deliverPast(_ hits: HitsMessage, named name: SourcePosition) throws {
        // One that was set aside and is tried again comes late: it is news by its own name.
        guard name.source.origin != SourceID.retryOrigin else { return try apply(hits) }
        var news = hits
        news.hits.removeAll { !advance($0.created, to: name) }
        if !hits.leftOut.isEmpty {
            news.leftOut.removeAll { !advance($0, to: name) }
            news.omitted = Int32(clamping: news.leftOut.count)
            news.database = hits.hits.first?.database ?? hits.database
        }
        guard !news.hits.isEmpty || news.omitted > 0 else { return }
        try apply(news)
    }

    /// Notes that a partition of changes has delivered its share of backfills. Held hits of it are next, before any
    /// later entry. The record-service is notified of backfills that are delivered.
    mutating func endShares(of created: [Int64], partition: Int32) {
        var delivered: [Int64] = []
        for created in created {
            guard let index = delivery.backfills.firstIndex(where: { $0.created == created }) else { continue }
            let wasDelivered = delivery.backfills[index].isDelivered
            delivery.backfills[index].endShare(of: partition)
            if delivery.backfills[index].isDelivered, !wasDelivered { delivered.append(created) }
        }
        if !delivered.isEmpty { noteDelivered(backfills: delivered) }
        release()
    }

    /// Ends the backfill of a deleted subscription: its held hits are delivered next, before any later entry.
    mutating func endHolding(of created: Int64) {
        guard let index = delivery.backfills.firstIndex(where: { $0.created == created }) else { return }
        delivery.backfills[index].partitions = 0
        release()
    }

    private mutating func release() {
        guard let first = delivery.backfills.compactMap(\.dueFrom).min() else { return delivery.dropDelivered() }
        delivery.release = BackfillRelease(next: first, end: name.offset, index: name.index)
    }

    /// Takes the hits that have to wait out of those of a change.
    /// - Parameter name: of the entry, with the partition of changes.
    mutating func holdingBack(_ hits: HitsMessage, named name: SourcePosition) -> HitsMessage {
        // A change that is tried again comes after later ones anyway.
        guard !delivery.backfills.isEmpty, name.source.origin != SourceID.retryOrigin else { return hits }
        var rest = hits
        rest.database = hits.hits.first?.database ?? hits.database
        rest.hits.removeAll { hit in
            guard let index = delivery.backfills.firstIndex(where: { $0.created == hit.created }) else { return false }
            return delivery.backfills[index].hold(name.source.partition, at: self.name.offset)
        }
        return rest
    }

    /// Delivers those of the hits in a held entry that are due.
    /// - Parameters:
    ///   - partition: the partition of changes that they come from.
    ///   - offset: that of the entry.
    mutating func release(_ hits: HitsMessage, from partition: Int32, at offset: Int64) throws {
        var held = hits
        held.hits.removeAll { !delivery.isDue($0, from: partition, at: offset) }
        held.omitted = 0
        guard !held.hits.isEmpty else { return }
        try apply(held)
        deliverDue()
    }

    /// Counts hits that were held for longer than `deliveries` keeps them: one entry for each database.
    mutating func omitLost() {
        let due = delivery.backfills.filter { $0.dueFrom != nil }
        for (database, lost) in Dictionary(grouping: due, by: \.database).sorted(by: { $0.key < $1.key }) {
            let zone: ZoneID =
                database == DatabaseScope.private.rawValue
                ? ZoneID(name: .defaultZone, owner: delivery.user) : .publicDefault
            let omitted = OmittedNotifications(
                database: max(database, DatabaseScope.public.rawValue), change: lost.map(\.created).max() ?? 0,
                reason: Change.Kind.updated.rawValue, zone: ZoneMessage(zone), count: Int32(clamping: lost.count),
                isRest: true)
            append(omitted, by: Cause(), isPushed: true)
        }
    }

    private mutating func advance(_ created: Int64, to name: SourcePosition) -> Bool {
        guard let index = delivery.backfills.firstIndex(where: { $0.created == created }) else { return false }
        return delivery.backfills[index].advance(to: name)
    }
}

extension UserDelivery {
    /// Returns true if a hit in a held entry is to be delivered now.
    func isDue(_ hit: Hit, from partition: Int32, at offset: Int64) -> Bool {
        guard let backfill = backfills.first(where: { $0.created == hit.created }),
            let share = backfill.shares.first(where: { $0.partition == partition }), let first = share.heldFrom
        else { return false }
        return first <= offset && backfill.isDue(share)
    }

    /// Forgets the backfills that are delivered, or deleted, and hold nothing.
    mutating func dropDelivered() { backfills.removeAll { $0.isDelivered && $0.dueFrom == nil } }

    /// Ends the release: all due hits are delivered.
    mutating func endRelease() {
        release = nil
        for index in backfills.indices { backfills[index].forgetDue() }
        dropDelivered()
    }
}

extension BackfillState {
    /// Returns true if each partition has delivered its share, or the subscription was deleted.
    var isDelivered: Bool { shares.count(where: \.isDone) >= Int(partitions) }

    /// The offset of the first held hit that is due; nil if none is.
    var dueFrom: Int64? { shares.filter(isDue).compactMap(\.heldFrom).min() }

    /// Returns true if the held hits of a share are due.
    fileprivate func isDue(_ share: BackfillShare) -> Bool { share.isDone || partitions == 0 }

    fileprivate mutating func forgetDue() {
        for index in shares.indices where isDue(shares[index]) { shares[index].heldFrom = nil }
    }

    /// Takes note of a hit of a partition's share.
    /// - Returns: false if it came before.
    fileprivate mutating func advance(to name: SourcePosition) -> Bool {
        let place = place(of: name.source.partition)
        guard partitions > 0, !shares[place].isDone, name.offset > shares[place].seen else { return false }
        shares[place].seen = name.offset
        return true
    }

    /// Holds a hit of a later change of a partition whose share is not done.
    /// - Returns: false if the share is done.
    fileprivate mutating func hold(_ partition: Int32, at offset: Int64) -> Bool {
        let place = place(of: partition)
        guard !shares[place].isDone || shares[place].heldFrom != nil else { return false }
        shares[place].heldFrom = shares[place].heldFrom ?? offset
        return true
    }

    fileprivate mutating func endShare(of partition: Int32) { shares[place(of: partition)].isDone = true }

    private mutating func place(of partition: Int32) -> Int {
        if let place = shares.firstIndex(where: { $0.partition == partition }) { return place }
        shares.append(BackfillShare(partition: partition))
        return shares.count - 1
    }

    /// The state as it is now, of one that an older version stored: it held the hits of all partitions until the last
    /// one was done.
    mutating func modernize() {
        defer { (heldFrom, release) = (nil, nil) }
        guard let held = release?.next ?? heldFrom, shares.allSatisfy({ $0.heldFrom == nil }) else { return }
        for partition in 0..<max(0, partitions) { shares[place(of: partition)].heldFrom = held }
        if release != nil { partitions = 0 }
    }

    /// The state as it is stored, with the fields that an older version goes by: it may take the partition over during
    /// an upgrade, and would not know of held hits.
    /// - Parameter due: the user's release.
    func stored(_ due: BackfillRelease?) -> BackfillState {
        var stored = self
        guard let first = shares.compactMap(\.heldFrom).min() else { return stored }
        if isDelivered, let due { stored.release = due } else { stored.heldFrom = first }
        return stored
    }
}
