import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore

/// The expected notifications of every device, from the commits of stores alone: a plain loop over changes and
/// subscriptions. It knows neither partitions nor offsets, and shares only the decoding of messages with the code.
struct PlainOracle {
    /// A subscription that has to fire on a change.
    struct Hit: Hashable {
        var change: Int64
        var subscription: String
        var created: Int64
        var firesOnce: Bool
        var database: DatabaseScope
        /// Its database, zone and name.
        var record: String
        var device: DeviceID?
        var epoch: DeviceEpoch?
        /// The change was committed before the subscription.
        var isPast = false
        /// The subscription has a past.
        var hasPast = false
        /// Its subscription has a policy that acts on feeds.
        var isShaped = false
        /// It may come or not: the subscription was deleted during its backfill, the change was lost, or another one has
        /// its sequence.
        var isOptional = false

        var name: Name { Name(change: change, subscription: subscription) }
    }

    /// A notification, as devices can distinguish it from others.
    struct Name: Hashable, CustomStringConvertible {
        var change: Int64
        var subscription: String

        var description: String { "\(change)/\(subscription)" }
    }

    private let kept: CommittedHistory
    private let lost: [CommittedHistory]
    private let hasLostChanges: Bool
    private let unsure: Range<Int64>
    private let mayRepeat: Bool
    /// What each notification of journals stands for beside its own change.
    private var covers: [UserRecordName: [Name: [[Int64]]]] = [:]

    /// - Parameters:
    ///     - lost: the commits of stores that an older copy replaced, in the order of their ends.
    ///     - hasLostChanges: the topic of changes was lost: backfilled and new changes cannot be distinguished.
    ///     - unsure: sequences that may have been given twice: readers know one of the two changes.
    ///     - mayRepeat: the names of delivered notifications were lost.
    init(
        _ rows: [OutboxRow], lost: [[OutboxRow]] = [], hasLostChanges: Bool = false, unsure: Range<Int64>? = nil,
        mayRepeat: Bool = false
    ) throws {
        let unsure = unsure ?? 0..<0
        kept = try CommittedHistory(rows)
        // A sequence that was published is not given again: of several changes with one, the log has the latest at most.
        var later = [kept]
        for rows in lost.reversed() {
            var history = try CommittedHistory(rows)
            history.removeReplaced(by: later, but: unsure)
            later.append(history)
        }
        self.lost = later.dropFirst().reversed()
        self.hasLostChanges = hasLostChanges
        self.unsure = unsure
        self.mayRepeat = mayRepeat
    }

    /// Everything that one user's subscriptions have to, or may, fire on.
    func hits(of user: UserRecordName) -> [Hit] {
        var hits = kept.hits(of: user)
        for index in hits.indices where unsure.contains(hits[index].change) { hits[index].isOptional = true }
        var known = Set(hits.map { [$0.change, $0.created] })
        var doubled = Set(hits)
        for (number, history) in lost.enumerated() {
            // A change that was lost before it was matched meets the subscriptions of the restored store, and of one that
            // was lost after it.
            let others = [kept] + lost.indices.filter { $0 != number }.map { lost[$0] }
            let again = others.flatMap { $0.pastHits(of: user, on: history) + $0.hits(of: user, on: history) }
            for var hit in history.hits(of: user) + again {
                hit.isOptional = true
                let isNew = known.insert([hit.change, hit.created]).inserted
                if isNew || unsure.contains(hit.change) && !doubled.contains(hit) {
                    doubled.insert(hit)
                    hits.append(hit)
                }
            }
        }
        guard hasLostChanges else { return hits }
        return hits.map { hit in
            var hit = hit
            if hit.isPast { hit.isOptional = true }
            return hit
        }
    }

    /// Judges a device's notifications from the first entry to the last.
    /// - Returns: the faults.
    func judge(_ notifications: [Notification], of user: UserRecordName, _ device: DeviceID, _ epoch: DeviceEpoch)
        -> [String]
    {
        var complaints: [String] = []
        let hits = hits(of: user)
        let delivered = notifications.flatMap { names($0) }
        let counts = Dictionary(delivered.map { ($0, 1) }, uniquingKeysWith: +)
        for (name, count) in counts.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let expected = hits.filter { $0.name == name }
            // A subscription that is created again and again delivers an old change each time.
            if !mayRepeat, count > max(1, expected.count) {
                complaints.append("\(device): \(name) came \(count) times")
            }
            if expected.isEmpty { complaints.append("\(device): \(name) is a phantom") }
            if !expected.isEmpty, expected.allSatisfy({ Self.isOwn($0, device, epoch) }) {
                complaints.append("\(device): \(name) is its own change")
            }
        }
        let others = hits.filter { !Self.isOwn($0, device, epoch) }
        for name in Set(others.map(\.name)).sorted(by: { "\($0)" < "\($1)" }) {
            let least = others.count { $0.name == name && !$0.firesOnce && !$0.isOptional }
            let count = counts[name] ?? 0
            if count < least {
                complaints.append(
                    "\(device): \(name) was " + (count == 0 ? "never delivered" : "delivered \(count) times"))
            }
        }
        complaints += judgeOnce(hits, counts, device, epoch)
        complaints += judgePast(notifications, hits, device)
        return complaints + judgeOrder(delivered, hits, device)
    }

    /// Of those that fire once, each fired once.
    private func judgeOnce(
        _ hits: [Hit], _ counts: [Name: Int], _ device: DeviceID, _ epoch: DeviceEpoch
    ) -> [String] {
        var complaints: [String] = []
        let once = hits.filter(\.firesOnce)
        for created in Set(once.map { "\($0.subscription)@\($0.created)" }).sorted() {
            let candidates = once.filter { "\($0.subscription)@\($0.created)" == created }
            // An old change of two subscriptions with one name may be either's.
            let own = candidates.filter { hit in hits.count { $0.name == hit.name } == 1 }
            let times = own.count { counts[$0.name] != nil }
            let isSure = own.count == candidates.count && candidates.contains { !$0.isOptional }
            let mayBeSilent = !isSure || candidates.contains { Self.isOwn($0, device, epoch) }
            if times > 1 && !mayRepeat || times == 0 && !mayBeSilent {
                complaints.append("\(device): \(created) fires once and came \(times) times")
            }
        }
        return complaints
    }

    /// The backfill of a subscription is marked, and comes before all that is new of the same record.
    private func judgePast(_ notifications: [Notification], _ hits: [Hit], _ device: DeviceID) -> [String] {
        var complaints: [String] = []
        var hasBegun: Set<String> = []
        for notification in notifications where !mayRepeat {
            guard let name = Self.name(notification), case .query(let content) = notification.content,
                let hit = hits.first(where: { $0.name == name }), !unsure.contains(hit.change),
                creations(of: hit, hits) == 1
            else { continue }
            if content.isBackfilled != hit.isPast { complaints.append("\(device): \(name) is not marked as it should") }
            let line = "\(hit.record) of \(hit.subscription)"
            if !content.isBackfilled { hasBegun.insert(line) }
            if content.isBackfilled, hasBegun.contains(line) {
                complaints.append("\(device): \(name) is past and came after what is new")
            }
        }
        return complaints
    }

    /// Of one record, notifications come in the order of its changes; a subscription with a past has an order of its
    /// own, and so have the changes of each device where a policy acts on the feed.
    private func judgeOrder(_ delivered: [Name], _ hits: [Hit], _ device: DeviceID) -> [String] {
        var last: [String: Int64] = [:]
        var complaints: [String] = []
        for name in delivered where !mayRepeat {
            guard let hit = hits.first(where: { $0.name == name }), !unsure.contains(hit.change) else { continue }
            if hit.hasPast, creations(of: hit, hits) > 1 { continue }
            var line = hit.hasPast || hit.isShaped ? "\(hit.record) of \(hit.subscription)" : hit.record
            if hit.isShaped { line += " by \(hit.device.map { "\($0)" } ?? "none") \(hit.epoch?.rawValue ?? 0)" }
            if let before = last[line], before > name.change {
                complaints.append("\(device): \(name) of \(line) came after \(before)")
            }
            last[line] = max(last[line] ?? 0, name.change)
        }
        return complaints
    }

    /// The number of times that the subscription of a hit was made, as far as it has hits.
    private func creations(of hit: Hit, _ hits: [Hit]) -> Int {
        Set(hits.filter { $0.subscription == hit.subscription && $0.database == hit.database }.map(\.created)).count
    }

    /// Two devices of a user get the same notifications in the same order, but for their own changes.
    func judgeSiblings(
        _ first: (device: DeviceID, epoch: DeviceEpoch, delivered: [Notification]),
        _ second: (device: DeviceID, epoch: DeviceEpoch, delivered: [Notification]), of user: UserRecordName
    ) -> [String] {
        let hits = hits(of: user)
        func common(_ delivered: [Notification]) -> [Name] {
            delivered.flatMap { names($0) }.filter { name in
                !hits.contains { hit in
                    hit.name == name
                        && (Self.isOwn(hit, first.device, first.epoch) || Self.isOwn(hit, second.device, second.epoch))
                }
            }
        }
        let (left, right) = (common(first.delivered), common(second.delivered))
        return left == right ? [] : ["\(first.device) got \(left), \(second.device) \(right)"]
    }

    /// Nil for marks.
    static func name(_ notification: Notification) -> Name? {
        guard case .query(let content) = notification.content else { return nil }
        return Name(
            change: notification.subject.change.rawValue, subscription: content.subscription.id.rawValue)
    }

    /// The changes that it stands for, its own last; none for marks. Readers see their number, and journals name them.
    func names(_ notification: Notification) -> [Name] {
        guard let name = Self.name(notification), case .query(let content) = notification.content else { return [] }
        let covered = covers[notification.subject.user]?[name]?.first { $0.count + 1 == content.changeCount } ?? []
        return covered.map { Name(change: $0, subscription: name.subscription) } + [name]
    }

    /// Notes the changes that the notifications of a user's journal stand for.
    mutating func learn(_ journal: [LogEntry], of user: UserRecordName) throws {
        for entry in journal {
            guard let value = entry.value, case let message = try FeedEntry(decoding: value),
                message.user == user.rawValue, case .query(let query)? = message.entry
            else { continue }
            let name = Name(change: query.change, subscription: query.subscription)
            covers[user, default: [:]][name, default: []].append(query.covered)
        }
    }

    private static func isOwn(_ hit: Hit, _ device: DeviceID, _ epoch: DeviceEpoch) -> Bool {
        hit.device == device && hit.epoch == epoch
    }
}
