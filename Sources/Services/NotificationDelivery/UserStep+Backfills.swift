import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Subscriptions with a backfill. Hits of later changes are held by reference: the state has the position in
/// `deliveries` of the first one, and they are read there again after each partition of changes has delivered its
/// share.
extension UserStep {
    /// Holds hits of a new subscription until its backfill is delivered.
    mutating func begin(_ event: BackfillBegun) {
        guard !delivery.backfills.contains(where: { $0.created == event.created }) else { return }
        delivery.backfills.append(BackfillState(created: event.created, partitions: event.partitions))
    }

    /// Delivers hits of a backfill: once, and not if the subscription is gone or its backfill is over.
    /// - Parameter name: of the entry, with the partition of changes and the change.
    mutating func deliverPast(_ hits: HitsMessage, named name: SourcePosition) throws {
        // One that was set aside and is tried again comes late: it is news by its own name.
        if name.source.origin != "retry" {
            guard let index = delivery.backfills.firstIndex(where: { $0.created == hits.backfill }) else { return }
            guard delivery.backfills[index].advance(to: name) else { return }
        }
        try apply(hits)
    }

    /// Notes that a partition of changes has delivered its share; the last one releases the held hits.
    mutating func endShare(of created: Int64, partition: Int32) {
        guard let index = delivery.backfills.firstIndex(where: { $0.created == created }) else { return }
        delivery.backfills[index].endShare(of: partition)
        if delivery.backfills[index].isDelivered { endHolding(of: created) }
    }

    /// Ends the holding: held hits are delivered next, before any later entry.
    mutating func endHolding(of created: Int64) {
        guard let index = delivery.backfills.firstIndex(where: { $0.created == created }) else { return }
        guard let first = delivery.backfills[index].heldFrom else {
            delivery.backfills.remove(at: index)
            return
        }
        delivery.backfills[index].release = BackfillRelease(next: first, end: name.offset, index: name.index)
    }

    /// Takes the hits that have to wait out of those of a change.
    mutating func holdingBack(_ hits: HitsMessage) -> HitsMessage {
        guard !delivery.backfills.isEmpty else { return hits }
        var rest = hits
        rest.database = hits.hits.first?.database ?? hits.database
        rest.hits.removeAll { hit in
            guard let index = delivery.backfills.firstIndex(where: { $0.created == hit.created }) else { return false }
            delivery.backfills[index].heldFrom = delivery.backfills[index].heldFrom ?? name.offset
            return true
        }
        return rest
    }

    /// Delivers the hits of one subscription in a held entry.
    mutating func release(_ hits: HitsMessage, of created: Int64) throws {
        var held = hits
        held.hits.removeAll { $0.created != created }
        held.omitted = 0
        guard !held.hits.isEmpty else { return }
        try apply(held)
    }
}

extension BackfillState {
    /// Returns true if each partition has delivered its share.
    fileprivate var isDelivered: Bool { shares.count(where: \.isDone) >= Int(partitions) }

    /// Takes note of a hit of a partition's share.
    /// - Returns: false if it came before.
    fileprivate mutating func advance(to name: SourcePosition) -> Bool {
        let place = place(of: name.source.partition)
        guard !shares[place].isDone, name.offset > shares[place].seen else { return false }
        shares[place].seen = name.offset
        return true
    }

    fileprivate mutating func endShare(of partition: Int32) { shares[place(of: partition)].isDone = true }

    private mutating func place(of partition: Int32) -> Int {
        if let place = shares.firstIndex(where: { $0.partition == partition }) { return place }
        shares.append(BackfillShare(partition: partition))
        return shares.count - 1
    }
}
