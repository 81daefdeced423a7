import CloudModel
import EventLog
import Messages

/// Turns the hits of a change into entries of `deliveries`: a user's together, split when they are many.
///
/// Everything here is part of the message version, as a replay has to write the same again: the order (users by name,
/// hits by database and subscription), the numbers at which entries are split, and the index that names each of them.
enum HitEntries {
    /// Bytes after which an entry is full. A hit has at most three fields of a record, 1 MiB, so that no entry comes near
    /// the largest message.
    static let entryBytesMax = 1 << 20

    static func make(
        _ hits: [SavedSubscription], of change: Change, source: SourceID, offset: Int64
    ) -> [DeliveryEntry] {
        guard let zone = change.affectedZone else { return [] }
        var entries: [DeliveryEntry] = []
        let byUser = Dictionary(grouping: hits) { $0.subscription.key.user }
        for (user, hits) in byUser.sorted(by: { $0.key < $1.key }) {
            let sorted = hits.sorted { Self.order($0.subscription.key) < Self.order($1.subscription.key) }
            for part in split(sorted.map { hit($0, change.matched) }) {
                let position = SourcePosition(source: source, offset: offset, index: Int32(entries.count))
                entries.append(
                    DeliveryEntry(
                        source: SourcePositionMessage(position), user: user.rawValue,
                        time: change.committed.milliseconds, event: .hits(message(part, change, zone))))
            }
        }
        return entries
    }

    private static func order(_ key: SubscriptionKey) -> (Int32, SubscriptionID) { (key.database.rawValue, key.id) }

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
        for name in info.additionalFields { fields[name] = record?.fields[name] }
        return Hit(
            database: saved.subscription.key.database.rawValue, subscription: saved.subscription.key.id.rawValue,
            created: saved.created.rawValue, firesOnce: saved.subscription.condition.firesOnce,
            shouldBadge: info.shouldBadge, alertBody: info.alertBody, fields: [FieldMessage](fields),
            kind: saved.subscription.condition.kind.messageNumber)
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
