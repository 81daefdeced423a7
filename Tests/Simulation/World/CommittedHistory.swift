import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// What one store has committed: changes, and versions of subscriptions.
struct CommittedHistory {
    private struct Version {
        var key: SubscriptionKey
        var sequence: Int64
        var saved: SavedSubscription?
    }

    private var changes: [Change] = []
    private var versions: [Version] = []

    init(_ rows: [OutboxRow]) throws {
        for row in rows {
            guard let value = row.value, row.key.first != UInt8(ascii: "#") else { continue }
            switch row.destination {
            case .changes:
                let event = try ChangeEvent(decoding: value)
                if !event.boundary { changes.append(try event.change()) }
            case .subscriptions:
                let event = try SubscriptionEvent(decoding: value)
                versions.append(
                    Version(key: try event.key(), sequence: try event.sequence().rawValue, saved: try event.saved()))
            case .deliveries, .pushAddresses: break
            }
        }
    }

    /// Removes the changes whose sequences other histories gave to others, but for those in a range.
    mutating func removeReplaced(by others: [CommittedHistory], but unsure: Range<Int64>) {
        let replacements = others.flatMap(\.changes)
        changes.removeAll { change in
            !unsure.contains(change.sequence.rawValue)
                && replacements.contains { $0.sequence == change.sequence && $0 != change }
        }
    }

    /// Everything that one user's subscriptions fire on.
    func hits(of user: UserRecordName) -> [PlainOracle.Hit] {
        changes.flatMap { change in
            Set(versions.map(\.key)).filter { $0.user == user }.flatMap { key in
                let now = hit(key, change).map { [$0] } ?? []
                return now + pastHits(key, change)
            }
        }
    }

    /// The past hits of another history's changes, which the log has still.
    func pastHits(of user: UserRecordName, on other: CommittedHistory) -> [PlainOracle.Hit] {
        other.changes.flatMap { change in
            Set(versions.map(\.key)).filter { $0.user == user }.flatMap { pastHits($0, change) }
        }
    }

    /// The hits of another history's changes, by the versions before them.
    func hits(of user: UserRecordName, on other: CommittedHistory) -> [PlainOracle.Hit] {
        other.changes.flatMap { change in
            Set(versions.map(\.key)).filter { $0.user == user }.compactMap { hit($0, change) }
        }
    }

    /// The hit of a change by the last version before it.
    private func hit(_ key: SubscriptionKey, _ change: Change) -> PlainOracle.Hit? {
        let before = versions.filter { $0.key == key && $0.sequence < change.sequence.rawValue }
        return before.max { $0.sequence < $1.sequence }?.saved.flatMap { hit($0, change) }
    }

    /// The hits of a change by those that were made after it and begin before it. Published again after a repair, one
    /// has several versions of one creation.
    private func pastHits(_ key: SubscriptionKey, _ change: Change) -> [PlainOracle.Hit] {
        var creations: [Int64: SavedSubscription] = [:]
        for version in versions where version.key == key {
            guard let saved = version.saved else { continue }
            creations[saved.created.rawValue] = creations[saved.created.rawValue] ?? saved
        }
        return creations.values.compactMap { saved in
            guard let from = saved.subscription.backfill?.from, change.sequence < saved.created,
                change.committed >= from, var hit = hit(saved, change)
            else { return nil }
            hit.isPast = true
            hit.isOptional = versions.contains {
                $0.key == key && $0.sequence > saved.created.rawValue && $0.saved?.created != saved.created
            }
            return hit
        }
    }

    private func hit(_ saved: SavedSubscription, _ change: Change) -> PlainOracle.Hit? {
        let (subscription, firesOnce) = (saved.subscription, saved.subscription.condition.firesOnce)
        guard let record = change.matched, mayRead(subscription.key, change), watches(subscription, record) else {
            return nil
        }
        return PlainOracle.Hit(
            change: change.sequence.rawValue, subscription: subscription.key.id.rawValue,
            created: saved.created.rawValue, firesOnce: firesOnce, database: change.database,
            record: "\(change.database) \(record.zone.name) \(record.name)", device: change.origin.device,
            epoch: change.origin.epoch, hasPast: subscription.backfill != nil,
            isShaped: subscription.notificationInfo.policy?.shapesFeed == true && !firesOnce)
    }

    /// A private database is its user's alone; the shared one has the zone of the first user, for the second.
    private func mayRead(_ key: SubscriptionKey, _ change: Change) -> Bool {
        guard key.database == change.database else { return false }
        switch change.database {
        case .public: return true
        case .private: return change.affectedZone?.owner == key.user
        case .shared: return change.affectedZone?.owner == World.users[0] && key.user == World.users[1]
        }
    }

    /// Records above a number, or all in custom zones.
    private func watches(_ subscription: Subscription, _ record: Record) -> Bool {
        guard record.type == RecordType(trusted: "T") else { return false }
        if subscription.condition.kind == .database { return record.zone.name != .defaultZone }
        guard case .int64(let number)? = record.fields[FieldName(trusted: "number")],
            case .value(.int64(let above))? = subscription.condition.query.filters.first?.operand
        else { return false }
        return number > above
    }
}
