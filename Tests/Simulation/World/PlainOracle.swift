import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// What every device has to be told, from what the store has committed alone: a plain loop over changes and subscriptions.
/// It knows neither partitions nor offsets, and shares nothing with what it judges but the decoding of messages.
struct PlainOracle {
    /// A subscription that has to fire on a change.
    struct Hit: Hashable {
        var change: Int64
        var subscription: String
        var created: Int64
        var firesOnce: Bool
        var record: String
        var device: DeviceID?
        var epoch: DeviceEpoch?

        var name: Name { Name(change: change, subscription: subscription) }
    }

    /// A notification, as devices can tell it from others.
    struct Name: Hashable, CustomStringConvertible {
        var change: Int64
        var subscription: String

        var description: String { "\(change)/\(subscription)" }
    }

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
            case .changes: changes.append(try ChangeEvent(decoding: value).change())
            case .subscriptions:
                let event = try SubscriptionEvent(decoding: value)
                versions.append(
                    Version(key: try event.key(), sequence: try event.sequence().rawValue, saved: try event.saved()))
            case .deliveries: break
            }
        }
    }

    /// Everything that one user's subscriptions have to fire on.
    func hits(of user: UserRecordName) -> [Hit] {
        changes.flatMap { change in
            Set(versions.map(\.key)).filter { $0.user == user }.compactMap { key in hit(key, change) }
        }
    }

    private func hit(_ key: SubscriptionKey, _ change: Change) -> Hit? {
        let before = versions.filter { $0.key == key && $0.sequence < change.sequence.rawValue }
        guard let saved = before.max(by: { $0.sequence < $1.sequence })?.saved,
            let record = change.matched, case .int64(let number)? = record.fields[FieldName(trusted: "number")],
            case .value(.int64(let above))? = saved.subscription.condition.query.filters.first?.operand, number > above
        else { return nil }
        return Hit(
            change: change.sequence.rawValue, subscription: key.id.rawValue, created: saved.created.rawValue,
            firesOnce: saved.subscription.condition.firesOnce, record: record.name.rawValue,
            device: change.origin.device, epoch: change.origin.epoch)
    }

    /// Judges what a device was told from its first entry to its last.
    /// - Returns: what is wrong with it.
    func judge(_ notifications: [Notification], of user: UserRecordName, _ device: DeviceID, _ epoch: DeviceEpoch)
        -> [String]
    {
        var complaints: [String] = []
        let hits = hits(of: user)
        let told = notifications.compactMap { Self.name($0) }
        let counts = Dictionary(told.map { ($0, 1) }, uniquingKeysWith: +)
        for (name, count) in counts.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            if count > 1 { complaints.append("\(device): \(name) was told \(count) times") }
            guard let hit = hits.first(where: { $0.name == name }) else {
                complaints.append("\(device): \(name) is a phantom")
                continue
            }
            if Self.isOwn(hit, device, epoch) { complaints.append("\(device): \(name) is its own change") }
        }
        let others = hits.filter { !Self.isOwn($0, device, epoch) }
        for hit in others where !hit.firesOnce && counts[hit.name] == nil {
            complaints.append("\(device): \(hit.name) was never told")
        }
        for created in Set(hits.filter(\.firesOnce).map { "\($0.subscription)@\($0.created)" }).sorted() {
            let candidates = hits.filter { $0.firesOnce && "\($0.subscription)@\($0.created)" == created }
            let times = candidates.count { counts[$0.name] != nil }
            let mayBeSilent = candidates.contains { Self.isOwn($0, device, epoch) }
            if times > 1 || times == 0 && !mayBeSilent {
                complaints.append("\(device): \(created) fires once and was told \(times) times")
            }
        }
        return complaints + judgeOrder(told, hits, device)
    }

    /// Of one record, notifications come in the order of its changes.
    private func judgeOrder(_ told: [Name], _ hits: [Hit], _ device: DeviceID) -> [String] {
        var last: [String: Int64] = [:]
        var complaints: [String] = []
        for name in told {
            guard let record = hits.first(where: { $0.name == name })?.record else { continue }
            if let before = last[record], before > name.change {
                complaints.append("\(device): \(name) of \(record) came after \(before)")
            }
            last[record] = max(last[record] ?? 0, name.change)
        }
        return complaints
    }

    /// Two devices of a user are told the same in the same order, but for what one of them did itself.
    func judgeSiblings(
        _ first: (device: DeviceID, epoch: DeviceEpoch, told: [Notification]),
        _ second: (device: DeviceID, epoch: DeviceEpoch, told: [Notification]), of user: UserRecordName
    ) -> [String] {
        let hits = hits(of: user)
        func common(_ told: [Notification]) -> [Name] {
            told.compactMap { Self.name($0) }.filter { name in
                guard let hit = hits.first(where: { $0.name == name }) else { return true }
                return !Self.isOwn(hit, first.device, first.epoch) && !Self.isOwn(hit, second.device, second.epoch)
            }
        }
        let (left, right) = (common(first.told), common(second.told))
        return left == right ? [] : ["\(first.device) was told \(left), \(second.device) \(right)"]
    }

    /// Nil for marks.
    static func name(_ notification: Notification) -> Name? {
        guard case .query(let content) = notification.content else { return nil }
        return Name(
            change: notification.subject.change.rawValue, subscription: content.subscription.id.rawValue)
    }

    private static func isOwn(_ hit: Hit, _ device: DeviceID, _ epoch: DeviceEpoch) -> Bool {
        hit.device == device && hit.epoch == epoch
    }
}
