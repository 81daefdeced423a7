import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// Subscriptions that begin in the past. Their hits of changes after it are held back, by reference: the state knows where in
/// `deliveries` the first one stands, and they are read there again once each partition of changes has told its share.
extension UserStep {
    /// Holds back what comes for a new subscription until its past is told.
    mutating func begin(_ event: BackfillBegun) {
        guard !delivery.backfills.contains(where: { $0.created == event.created }) else { return }
        delivery.backfills.append(BackfillState(created: event.created, partitions: event.partitions))
    }

    /// Tells hits of the past: once, and not if the subscription is gone or its past is over.
    /// - Parameter name: of the entry, which says the partition of changes and the change.
    mutating func tellPast(_ hits: HitsMessage, named name: SourcePosition) throws {
        // One that was set aside and is tried again comes late: it is news by its own name.
        if name.source.origin != "retry" {
            guard let index = delivery.backfills.firstIndex(where: { $0.created == hits.backfill }) else { return }
            guard delivery.backfills[index].advance(to: name) else { return }
        }
        try apply(hits)
    }

    /// Notes that a partition of changes has told its share; with the last one, what was held back is let go.
    mutating func endShare(of created: Int64, partition: Int32) {
        guard let index = delivery.backfills.firstIndex(where: { $0.created == created }) else { return }
        delivery.backfills[index].endShare(of: partition)
        if delivery.backfills[index].isTold { endHolding(of: created) }
    }

    /// Ends the holding back: what was held is told next, before any later entry.
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
        rest.hits.removeAll { hit in
            guard let index = delivery.backfills.firstIndex(where: { $0.created == hit.created }) else { return false }
            delivery.backfills[index].heldFrom = delivery.backfills[index].heldFrom ?? name.offset
            return true
        }
        return rest
    }

    /// Tells the hits of one subscription in an entry that was held back.
    mutating func release(_ hits: HitsMessage, of created: Int64) throws {
        var held = hits
        held.hits.removeAll { $0.created != created }
        held.omitted = 0
        guard !held.hits.isEmpty else { return }
        try apply(held)
    }
}

extension BackfillState {
    /// Returns true if each partition has told its share.
    fileprivate var isTold: Bool { shares.count(where: \.isDone) >= Int(partitions) }

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
