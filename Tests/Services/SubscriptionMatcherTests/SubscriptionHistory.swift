import CloudMessages
import CloudModel
import SubscriptionMatcher
import TestSupport

/// Saves, updates, deletions and re-creations of a few subscriptions, with changes between them, in commit order.
struct SubscriptionHistory {
    static let store: UInt64 = 77
    static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 4)
    static let users = ["a", "b"].map(UserRecordName.sample)

    /// One event of the topic `subscriptions`.
    struct Event {
        var key: SubscriptionKey
        var sequence: Int64
        /// Nil when it is a deletion.
        var saved: SavedSubscription?

        var message: SubscriptionEvent {
            saved.map { SubscriptionEvent(saved: $0, store: store) }
                ?? SubscriptionEvent(deleted: key, at: CommitSequence(sequence), created: .zero, store: store)
        }
        var topicKey: [UInt8] { layout.subscriptionKey(key, CommitSequence(sequence)) }
    }

    private(set) var events: [Event] = []
    private(set) var changes: [Change] = []
    private var random: SeededGenerator
    private var sequence: Int64 = 0
    private var live: [SubscriptionKey: SavedSubscription] = [:]

    init(random: SeededGenerator, steps: Int) {
        self.random = random
        for _ in 0..<steps {
            sequence += 1
            if Bool.random(using: &self.random) { change() } else { event() }
        }
    }

    private mutating func event() {
        let key = SubscriptionKey(
            user: Self.users.randomElement(using: &random)!, database: .public,
            id: SubscriptionID(trusted: ["s", "t", "u"].randomElement(using: &random)!))
        let present = live[key]
        if present != nil, Int.random(in: 0..<3, using: &random) == 0 {
            live[key] = nil
            events.append(Event(key: key, sequence: sequence, saved: nil))
            return
        }
        // An update changes what notifications carry, never the condition; a new creation may watch something else.
        var subscription =
            present?.subscription ?? Self.subscription(key, above: Int64.random(in: 0..<6, using: &random))
        subscription.notificationInfo = NotificationInfo(alertBody: "\(sequence)")
        let saved = SavedSubscription(
            subscription: subscription, created: present?.created ?? CommitSequence(sequence),
            saved: CommitSequence(sequence))
        live[key] = saved
        events.append(Event(key: key, sequence: sequence, saved: saved))
    }

    private mutating func change() {
        changes.append(
            Self.change(
                sequence, number: Int64.random(in: 0..<8, using: &random), after: events.last?.sequence ?? 0))
    }

    static func subscription(_ key: SubscriptionKey, above number: Int64, firesOnce: Bool = false) -> Subscription {
        Subscription(
            key: key,
            condition: Subscription.Condition(
                query: Query(
                    recordType: RecordType(trusted: "T"),
                    filters: [
                        Filter(
                            field: .field(FieldName(trusted: "n")), comparator: .greaterThan,
                            operand: .value(.int64(number)))
                    ]), zone: nil, firesOn: [.create, .update, .delete], firesOnce: firesOnce),
            notificationInfo: NotificationInfo())
    }

    static func change(_ sequence: Int64, number: Int64, after lastSubscription: Int64, name: String? = nil) -> Change {
        var fields = RecordFields()
        fields[FieldName(trusted: "n")] = .int64(number)
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: sequence), user: users[0], device: nil)
        let record = Record(
            type: RecordType(trusted: "T"), name: RecordName(trusted: name ?? "r\(sequence)"), zone: .publicDefault,
            changeTag: "t", created: stamp, modified: stamp, fields: fields)
        return Change(
            sequence: CommitSequence(sequence), lastSubscription: CommitSequence(lastSubscription), database: .public,
            kind: .created, before: nil, after: record, committed: Timestamp(milliseconds: sequence),
            origin: Origin(user: users[0], device: nil, epoch: nil))
    }
}

extension SubscriptionHistory {
    /// Returns true if no change from `oldest` on can need an event. A deletion is superseded by itself: nothing has to
    /// be known of it once nothing before it is left.
    func isSuperseded(_ event: Event, before oldest: CommitSequence) -> Bool {
        guard event.saved != nil else { return true }
        let next = events.first { $0.key == event.key && $0.sequence > event.sequence }
        return next.map { $0.sequence < oldest.rawValue } ?? false
    }

    /// The hits of a change, by the definition alone: of each subscription the last event before the change; if it is a
    /// save that watches for it, that version.
    func expected(_ change: Change) -> Set<FiredSubscription> {
        guard case .int64(let number)? = change.matched?.fields[FieldName(trusted: "n")] else { return [] }
        var result: Set<FiredSubscription> = []
        for key in Set(events.map(\.key)) {
            let last = events.filter { $0.key == key && $0.sequence < change.sequence.rawValue }.last
            guard let saved = last?.saved,
                case .value(.int64(let above)) = saved.subscription.condition.query.filters[0].operand,
                number > above
            else { continue }
            result.insert(FiredSubscription(saved))
        }
        return result
    }
}
