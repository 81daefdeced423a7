package import CloudModel
package import EventLog
import Messages

/// Turns the hits of a change into entries of `deliveries`: a user's together, split when they are many.
///
/// Everything here is part of the message version, as a replay has to write the same again: the order (users by name,
/// hits by database and subscription), the numbers at which entries are split, and the index that names each of them.
package enum HitEntries {
    /// Bytes after which an entry is full. A hit has at most three fields of a record, 1 MiB, a subscription's texts,
    /// 1 MiB, and 30 arguments of 16 KiB, so that no entry comes near the largest message.
    static let entryBytesMax = 1 << 20

    /// An entry, encoded.
    package struct Encoded {
        /// Whose hits they are.
        package var user: UserRecordName
        /// The entry's name: its source is that of the change.
        package var index: Int32
        /// The bytes of a `DeliveryEntry`.
        package var value: [UInt8]
    }

    /// The entries of one change, for its hits in any order.
    package static func make(
        _ hits: [SavedSubscription], of change: Change, source: SourceID, offset: Int64
    ) -> [Encoded] {
        guard !hits.isEmpty, let zone = change.affectedZone else { return [] }
        var entries: [Encoded] = []
        let sorted = hits.indices.sorted { hits[$0].subscription.key.precedes(hits[$1].subscription.key) }
        var start = 0
        while start < sorted.count {
            let user = hits[sorted[start]].subscription.key.user
            var end = start + 1
            while end < sorted.count, hits[sorted[end]].subscription.key.user == user { end += 1 }
            let all = sorted[start..<end].map { hit(hits[$0], change.matched) }
            start = end
            func append(_ part: [Hit], boundedBy maximum: Int) -> Bool {
                let index = Int32(entries.count)
                let position = SourcePosition(source: source, offset: offset, index: index)
                let entry = DeliveryEntry(
                    source: SourcePositionMessage(position), user: user.rawValue, time: change.committed.milliseconds,
                    event: .hits(message(part, change, zone)))
                let value = entry.encoded()
                guard value.count <= maximum else { return false }
                entries.append(Encoded(user: user, index: index, value: value))
                return true
            }
            // What is no larger as a whole need not be measured hit by hit.
            if all.count <= Limits.hitsPerEntryMax, append(all, boundedBy: entryBytesMax) { continue }
            for part in split(all) { _ = append(part, boundedBy: .max) }
        }
        return entries
    }

    /// Without a record, when the zone itself was created or deleted.
    private static func message(_ hits: [Hit], _ change: Change, _ zone: ZoneID) -> HitsMessage {
        HitsMessage(
            change: change.sequence.rawValue, kind: change.kind.rawValue,
            recordType: change.matched?.type.rawValue ?? "", recordName: change.matched?.name.rawValue ?? "",
            zone: ZoneMessage(zone), origin: OriginMessage(change.origin), hits: hits)
    }

    private static func hit(_ saved: SavedSubscription, _ record: Record?) -> Hit {
        let info = saved.subscription.notificationInfo
        var fields = RecordFields()
        // Notifications of zones and databases tell of no record.
        let values = saved.subscription.condition.kind == .query ? record?.fields ?? RecordFields() : RecordFields()
        for name in info.additionalFields {
            // In development a field may have come after the subscription, with a type that is not carried.
            if let value = values[name], value.type.isCarried { fields[name] = value }
        }
        let appearance = info.appearance.resolved(with: values)
        return Hit(
            database: saved.subscription.key.database.rawValue, subscription: saved.subscription.key.id.rawValue,
            created: saved.created.rawValue, firesOnce: saved.subscription.condition.firesOnce,
            shouldBadge: info.shouldBadge, alertBody: info.alertBody, fields: [FieldMessage](fields),
            appearance: AppearanceMessage(appearance), kind: saved.subscription.condition.kind.messageNumber)
    }

    private static func split(_ hits: [Hit]) -> [[Hit]] {
        var parts: [[Hit]] = []
        var bytes = 0
        for hit in hits {
            let size = hit.encoded().count
            if parts.isEmpty || parts[parts.count - 1].count == Limits.hitsPerEntryMax || bytes + size > entryBytesMax {
                parts.append([])
                bytes = 0
            }
            parts[parts.count - 1].append(hit)
            bytes += size
        }
        return parts
    }
}

extension SubscriptionKey {
    /// By user, database and name.
    fileprivate func precedes(_ other: SubscriptionKey) -> Bool {
        if user != other.user { return user < other.user }
        return (database.rawValue, id) < (other.database.rawValue, other.id)
    }
}
