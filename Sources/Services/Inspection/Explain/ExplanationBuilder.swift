import CloudMessages
import CloudModel
import EventLog
import JSON
import Matching
import ProtocolBuffers

/// Collects the steps of an explanation in the order of the delivery path, and decides the verdict.
struct ExplanationBuilder {
    private(set) var explanation: Explanation
    let layout: TopicLayout
    let frontier: Frontier
    private var change: Change?
    var verdict: Verdict?
    /// The notification in the journal.
    private var notification: DeliveredEntry?
    /// The source position of the notification, under which stage 2 wrote it.
    var name: SourcePosition? { notification?.name }
    /// The notifications of the user that policies hold.
    var holds: [HoldMessage] = []
    /// The offset of the hit in `deliveries`.
    private(set) var delivery: Int64?
    private var isOmitted = false
    /// True if the change is older than the subscription and belongs to its backfill.
    private var isPast = false
    private var firesOnce = false
    /// The creation of the subscription.
    private var created: CommitSequence?
    /// The position that each device has read to, where it is known.
    private let places: [DeviceID: ReadPlace]
    private var notifiedDevices: [DeviceID] = []
    private var devicesMissing: [DeviceID] = []

    init(_ explanation: Explanation, _ layout: TopicLayout, _ frontier: Frontier, _ places: [DeviceID: ReadPlace]) {
        self.places = places
        self.explanation = explanation
        self.layout = layout
        self.frontier = frontier
    }

    /// The explanation with its verdict.
    var ended: Explanation {
        var ended = explanation
        ended.verdict =
            verdict ?? (devicesMissing.isEmpty ? .notified(notifiedDevices) : .lostFromFeeds(devicesMissing))
        return ended
    }

    mutating func step(
        _ kind: Explanation.Step.Kind, _ outcome: Explanation.Outcome, _ text: String,
        _ details: [Explanation.Detail] = [], facts: JSONObject = JSONObject(), place: ExplainedPlace? = nil
    ) {
        var step = Explanation.Step(kind: kind, outcome: outcome, text: text, details: details, facts: facts)
        step.place = place
        explanation.steps.append(step)
    }

    /// Adds to the last step.
    private mutating func amend(_ amend: (inout Explanation.Step) -> Void) {
        amend(&explanation.steps[explanation.steps.count - 1])
    }

    private func place(
        _ topic: TopicName, _ partition: Int32 = 0, _ offset: Int64, _ time: Timestamp? = nil
    ) -> ExplainedPlace {
        ExplainedPlace(topic: layout.shortName(topic), partition: partition, offset: offset, time: time)
    }

    /// Ends the explanation with a verdict.
    private mutating func end(_ verdict: Verdict) -> Bool {
        self.verdict = verdict
        return false
    }

    // MARK: Stage 1

    /// Judges whether the subscription fires on the change.
    /// - Returns: true if it does.
    mutating func judge(_ found: FoundChange?, _ versions: [SubscriptionHistory.Version]) -> Bool {
        guard let found else {
            step(
                .change, .unknown,
                "no change \(explanation.change) is in \(layout.shortName(layout.changes(explanation.subscription.database)))"
            )
            return end(.noChange)
        }
        let change = found.change
        self.change = change
        step(
            .change, .yes,
            Self.text(change)
                + " (\(layout.shortName(found.partition.topic))/\(found.partition.partition) at \(found.offset))",
            place: place(found.partition.topic, found.partition.partition, found.offset, found.time))
        amend { $0.time = change.committed }
        guard let saved = judge(versions, change) else { return false }
        created = saved.created
        return judge(saved, change)
    }

    /// The version that was in effect.
    private mutating func judge(_ versions: [SubscriptionHistory.Version], _ change: Change) -> SavedSubscription? {
        let version = versions.first { $0.isInEffect(at: change.sequence) }
        if version?.saved == nil, let saved = versions.lazy.compactMap(\.saved).first(where: { $0.hasPast(change) }) {
            isPast = true
            step(
                .subscription, .yes,
                "created at \(saved.created), after the change, which its backfill covers")
            return saved
        }
        guard let version, let saved = version.saved else {
            let absence: Verdict.Absence =
                if let version { .deleted(version.sequence) } else if let first = versions.first {
                    .savedLater(first.sequence)
                } else { .unknown }
            step(.subscription, .no, "\(absence)")
            _ = end(.noSubscription(absence))
            return nil
        }
        let end = version.end == CommitSequence(.max) ? "still in effect" : "in effect up to \(version.end)"
        step(.subscription, .yes, "saved at \(version.sequence) (created at \(saved.created)), \(end)")
        if frontier.isSetAside(version, layout) {
            step(.subscription, .no, "stage 1 has set this version aside ('fanfare poison list')")
            _ = self.end(.subscriptionSetAside)
            return nil
        }
        return saved
    }

    /// Returns true if the version fires: its owner may read the record, it watches the change, and its predicate
    /// holds.
    private mutating func judge(_ saved: SavedSubscription, _ change: Change) -> Bool {
        let subscription = saved.subscription
        firesOnce = subscription.condition.firesOnce
        let fires = isPast ? subscription.fires(onPast: change) : subscription.fires(on: change)
        let mayRead = Self.mayRead(subscription.key.user, change)
        step(.reader, mayRead ? .yes : .no, Self.readers(of: change))
        var details: [Explanation.Detail] = []
        if subscription.condition.kind == .query {
            var outcomes: [Explanation.Outcomes] = []
            for (title, record) in [("before", change.before), ("after", change.after)] {
                guard let record else { continue }
                let node = subscription.condition.query.predicate.traced(on: record)
                outcomes.append(Explanation.Outcomes(isBefore: title == "before", node: node))
                details.append(Explanation.Detail(depth: 0, outcome: .yes, text: "the record \(title) the change:"))
                details += PredicateTrace(node, hasValues: explanation.hasValues).details.map {
                    Explanation.Detail(depth: $0.depth + 1, outcome: $0.outcome, text: $0.text)
                }
            }
            let holds = change.matched.map { subscription.condition.query.predicate.holds(for: $0) } ?? false
            step(.predicate, holds ? .yes : .no, holds ? "the predicate holds" : "the predicate does not hold", details)
            amend { $0.outcomes = outcomes }
        }
        let watched = Self.watched(by: subscription.condition)
        step(.fires, fires ? .yes : .no, "\(fires ? "it fires" : "it does not fire"); it watches \(watched)")
        if !fires, !mayRead { return end(.unreadable) }
        return fires ? true : end(.doesNotFire(watched: watched))
    }

    // MARK: Stage 2

    /// Looks for the hit in `deliveries`. It shows that stage 1 has matched the change: positions are committed later.
    /// - Returns: true if stage 1 has matched it.
    mutating func takeDelivery(of found: FoundChange?, _ evidence: LogEvidence) async throws -> Bool {
        guard let found else { return true }
        let partition = layout.deliveries(of: explanation.subscription.user)
        let isCommitted = isPast || frontier.isMatched(found.offset, of: found.partition, layout)
        guard let deliveries = try await evidence.reader(of: partition) else {
            return isCommitted || takeUnmatched(found)
        }
        let hit = try await FoundHit.find(
            explanation.subscription, of: found, isPast: isPast, in: deliveries, looksEverywhere: isCommitted, evidence)
        guard isCommitted || hit.offset != nil || hit.isCounted else { return takeUnmatched(found) }
        if !isPast {
            let next = frontier.matched[found.partition] ?? 0
            step(.matched, .yes, "stage 1 has matched it" + (isCommitted ? " (it is at \(next))" : ""))
        }
        if let offset = hit.offset {
            delivery = offset
            let next = frontier.delivered[partition.partition] ?? 0
            step(
                .hit, .yes, "deliveries/\(partition.partition) at \(offset)",
                place: place(partition.topic, partition.partition, offset, hit.time))
            step(
                .delivered, offset < next ? .yes : .unknown,
                offset < next ? "stage 2 has applied it (it is at \(next))" : "stage 2 is at \(next): not there yet")
        } else if hit.isCounted {
            step(
                .hit, .no,
                "it is counted only: more subscriptions of the user fired on the change than get a notification each")
            isOmitted = true
        } else if deliveries.bounds.start > 0, found.change.committed <= hit.first {
            step(.hit, .unknown, "deliveries of that time are not kept any more")
        } else {
            step(.hit, .no, "no hit is in deliveries/\(partition.partition)")
        }
        return true
    }

    /// Takes that stage 1 has not matched the change.
    private mutating func takeUnmatched(_ found: FoundChange) -> Bool {
        let next = frontier.matched[found.partition] ?? 0
        guard found.offset < next else {
            step(.matched, .unknown, "stage 1 is at \(next): not there yet")
            return end(.waitsForMatching)
        }
        step(.matched, .no, "stage 1 has set the change aside ('fanfare poison list')")
        return end(.changeSetAside)
    }

    /// Returns true if an entry of the journal is the notification.
    func isSought(_ entry: DeliveredEntry) -> Bool {
        let key = explanation.subscription
        let subject = DeliveredEntry.Subject(
            change: explanation.change, database: key.database.rawValue, subscription: key.id.rawValue)
        guard !isPast else { return entry.past?.subject == subject }
        // By a policy it may be in the count of another.
        return entry.each.contains { $0.subject == subject }
    }

    /// True if stage 2 has not come to the hit, so that nothing has to be in the journal.
    var isLate: Bool {
        explanation.steps.contains { $0.kind == .delivered && $0.outcome == .unknown }
            || frontier.pending.contains(
                Frontier.Pending(user: explanation.subscription.user, change: explanation.change))
    }

    /// The partition that has the user's journal.
    private var journal: TopicPartition { layout.journals(of: explanation.subscription.user) }

    /// Looks for the notification in the journal.
    /// - Parameters:
    ///   - cut: the beginning of the journal's partition; nil if retention has removed nothing from it.
    ///   - held: the creations of subscriptions whose hits wait for their backfill.
    mutating func takeJournal(_ entries: [DeliveredEntry], _ cut: JournalCut?, holding held: Set<CommitSequence>) {
        if let found = entries.first(where: isSought) {
            notification = found
            if isLate, explanation.steps.last?.kind == .delivered {
                amend { ($0.outcome, $0.text) = (.yes, "stage 2 has applied it") }
            }
            let count = found.covered.count + 1
            step(
                .journal, .yes,
                "journals/\(journal.partition) at \(found.offset)" + (count > 1 ? ", one for \(count) changes" : ""),
                place: place(journal.topic, journal.partition, found.offset, found.appended))
            return
        }
        if isLate {
            step(.journal, .unknown, "it is not in the journal yet")
            verdict = .waitsForDelivery
        } else if !isPast, let created, held.contains(created) {
            step(.journal, .unknown, "it is not in the journal yet")
            verdict = .waitsForBackfill
        } else if let hold = hold(before: "") {
            step(.journal, .unknown, "its delivery policy holds it before the feed")
            verdict = .waitsForPolicy(Timestamp(milliseconds: hold.due))
        } else if isOmitted
            || entries.contains(where: { isCounted(by: $0) })
        {
            step(.journal, .no, "the journal has it in the count of the others")
            verdict = .counted
        } else if let other = firedBefore(entries) {
            step(.journal, .no, "it fires once, and did on change \(other)")
            verdict = .firedBefore(other)
        } else if let cut, let change, cut.mayHaveRemoved(change.committed), !isBehindKept(entries.first) {
            step(.journal, .unknown, "the journal of that time is not kept any more")
            verdict = .expired
        } else if isPast {
            step(.journal, .unknown, "it is not in the journal")
            verdict = .backfillOpen
        } else {
            step(.journal, .no, "it is not in the journal")
            verdict = .lostFromJournal
        }
    }

    /// Returns true if the notification comes behind the first entry of the user that is kept, by the order of names.
    private func isBehindKept(_ first: DeliveredEntry?) -> Bool {
        guard let delivery, let first, first.name.source.incarnation == frontier.incarnation else { return false }
        return delivery > first.name.offset
    }

    /// Returns true if an entry of the journal counts the notification with others.
    private func isCounted(by entry: DeliveredEntry) -> Bool {
        switch entry.content {
        case .omitted(let change, _): change == explanation.change
        case .rest(let first, _): isPast && first <= explanation.change
        default: false
        }
    }

    private func firedBefore(_ entries: [DeliveredEntry]) -> CommitSequence? {
        guard firesOnce else { return nil }
        for entry in entries {
            switch entry.content {
            case .fired(let subject), .past(let subject, _):
                if subject.database == explanation.subscription.database.rawValue,
                    subject.subscription == explanation.subscription.id.rawValue
                {
                    return subject.change
                }
            default: break
            }
        }
        return nil
    }

    private static func facts(_ device: DeviceID, _ epoch: DeviceEpoch, _ more: JSONObject) -> JSONObject {
        var facts = more
        facts["deviceID"] = .string(device.rawValue)
        facts["epoch"] = .integer(epoch.rawValue)
        return facts
    }

    /// Takes whether the notification is in a device's feed, which is the journal without what the device did itself.
    mutating func takeFeed(of device: DeviceID, _ epoch: DeviceEpoch) {
        guard let notification, let change else { return }
        let title = "\(device) (epoch \(epoch))"
        let user = explanation.subscription.user
        if change.origin.user == user, change.origin.device == device, change.origin.epoch == epoch {
            step(.device, .no, "\(title) made the change itself, and is not notified of it")
            amend { $0.deviceFacts = Self.facts(device, epoch, ["madeTheChange": true]) }
            return
        }
        guard notification.concerns(device.rawValue, epoch.rawValue) else {
            devicesMissing.append(device)
            step(.device, .no, "\(title): the journal has it as a change of the device, which is then not notified")
            return
        }
        notifiedDevices.append(device)
        let hasRead = places[device].flatMap { $0.epoch == epoch ? $0.offset > notification.offset : nil }
        let read = hasRead.map { $0 ? ", read past" : ", not read past yet" } ?? ""
        step(
            .device, .yes, "\(title): the journal at \(notification.offset)\(read)",
            place: place(journal.topic, journal.partition, notification.offset, notification.appended))
        amend { $0.deviceFacts = Self.facts(device, epoch, hasRead.map { ["readPast": .bool($0)] } ?? [:]) }
    }
}

extension SavedSubscription {
    /// Returns true if the subscription's backfill covers a change.
    fileprivate func hasPast(_ change: Change) -> Bool {
        guard let backfill = subscription.backfill else { return false }
        return change.sequence < created && change.committed >= backfill.from && change.sequence > backfill.after
    }
}
