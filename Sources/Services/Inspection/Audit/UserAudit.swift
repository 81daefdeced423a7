import CloudMessages
import CloudModel
import EventLog

/// Compares the journal of one user, which all devices of the user read, with what changes and subscriptions call for.
/// Pure.
struct UserAudit {
    /// The facts that all users share.
    struct Context {
        var plan: AuditPlan
        var layout: TopicLayout
        var frontier: Frontier
        var history: SubscriptionHistory
        /// The first retained sequence of each partition of changes.
        var firstKept: [TopicPartition: CommitSequence]
    }

    let user: UserRecordName
    let context: Context
    let facts: [ExpectedHits.Fact]
    let expected: [ExpectedHits.Hit]
    let expectedPasts: [ExpectedHits.Hit]
    private(set) var findings: [AuditFinding] = []
    private(set) var journal = SiftedTopic([], from: 0, of: UserRecordName(trusted: ""))
    /// Subscriptions that are counted only, by change.
    private(set) var omitted: [CommitSequence: Int] = [:]
    /// The first change of each partition from which on backfills were left out.
    private(set) var restFrom: [TopicPartition: CommitSequence] = [:]
    /// The last change that each subscription is recorded to have fired on: subjects without the change.
    private var lastDelivered: [DeliveredEntry.Subject: CommitSequence] = [:]
    /// Subscriptions that fire once and are lost already, by their creation.
    private var lostOnce: Set<CommitSequence> = []
    /// Subscriptions that delivered a change of their backfill: subjects without the change.
    private var pastDelivered: Set<DeliveredEntry.Subject> = []
    /// Subscriptions that begin in the past: without the change.
    private var withPast: Set<DeliveredEntry.Subject> = []
    /// The notifications that the changes call for in the past of subscriptions.
    private(set) var pastSubjects: Set<DeliveredEntry.Subject> = []
    /// The beginning of the journal's partition; nil if retention has removed nothing from it.
    private var cut: JournalCut?
    /// The state that stage 2 has of the user.
    private var known = LogEvidence.DeliveredUser()

    init(_ user: UserRecordName, _ expected: ExpectedHits, _ context: Context) {
        self.user = user
        self.context = context
        facts = expected.facts
        self.expected = expected.hits[user] ?? []
        expectedPasts = expected.pasts[user] ?? []
    }

    // MARK: The journal

    /// Compares the journal; a missing one is empty.
    /// - Parameters:
    ///   - start: the first offset that the journal's partition keeps.
    ///   - cut: the beginning of the partition; nil if retention has removed nothing from it.
    mutating func compareJournal(
        _ entries: [DeliveredEntry], from start: Int64, _ cut: JournalCut?, _ known: LogEvidence.DeliveredUser
    ) {
        self.cut = cut
        self.known = known
        let topic = context.layout.journals
        journal = SiftedTopic(entries, from: start, of: user)
        note(journal.faults, in: topic)
        for entry in journal.delivered {
            if case .omitted(let change, let count) = entry.content { omitted[change, default: 0] += Int(count) }
            if case .rest(let change, _) = entry.content { noteRest(from: change, entry.partition) }
            if let past = entry.past { pastDelivered.insert(past.subject.anyChange) }
            if let subject = entry.subject {
                lastDelivered[subject.anyChange] = max(lastDelivered[subject.anyChange] ?? .zero, subject.change)
            }
        }
        pastSubjects = Set(expectedPasts.map { pastSubject(of: $0) })
        for past in context.history.pasts where context.history.versions[past.version].key.user == user {
            withPast.insert(DeliveredEntry.Subject(.zero, context.history.versions[past.version].key))
        }
        let wanted = Dictionary(grouping: expected) { facts[$0.fact].sequence }
        let delivered = Dictionary(
            grouping: journal.delivered.flatMap(\.each).filter { $0.subject != nil }
        ) { $0.subject!.change }
        for change in Set(wanted.keys).union(delivered.keys).sorted() {
            compare(change, wanted[change] ?? [], delivered[change] ?? [], topic)
        }
        checkOrder(wanted, topic)
        checkFiringOnce(topic)
        comparePasts(topic)
        checkMarks(known.unfinished, topic)
        noteGap(in: topic)
    }

    private mutating func noteRest(from change: CommitSequence, _ partition: TopicPartition?) {
        guard let partition else { return }
        restFrom[partition] = min(restFrom[partition] ?? change, change)
    }

    /// Compares the entries of one change.
    private mutating func compare(
        _ change: CommitSequence, _ wanted: [ExpectedHits.Hit], _ delivered: [DeliveredEntry], _ topic: TopicName
    ) {
        let subjects = Set(delivered.compactMap(\.subject))
        checkCovered(delivered, topic)
        for entry in delivered where !wanted.contains(where: { subject(of: $0) == entry.subject }) && isJudged(entry) {
            if pastSubjects.contains(entry.subject!) {
                note(.unmarked, entry, topic, "the change was before the subscription, which is not said")
                continue
            }
            let isKnown = !wanted.isEmpty || expectedChange(change)
            note(
                .phantom, entry, topic,
                isKnown ? "the subscription does not fire on it" : "nothing fires on such a change")
        }
        let missing = wanted.filter { !subjects.contains(subject(of: $0)) && isRequired($0) }
        for hit in missing.dropLast(min(omitted[change] ?? 0, missing.count)) {
            if isOnce(hit), !lostOnce.insert(context.history.versions[hit.version].created).inserted { continue }
            note(lost: hit, topic, "it is not in the journal")
        }
    }

    /// A change is in one notification, or in the count of one.
    private mutating func checkCovered(_ delivered: [DeliveredEntry], _ topic: TopicName) {
        var first: [DeliveredEntry.Subject: DeliveredEntry] = [:]
        for entry in delivered {
            guard let other = first.updateValue(entry, forKey: entry.subject!), other.offset != entry.offset,
                !entry.covered.isEmpty || !other.covered.isEmpty
            else { continue }
            note(.doubled, entry, topic, "the notification at \(other.offset) stands for it, too")
        }
    }

    /// Changes of one partition are delivered in its order; those of a backfill in an order of its own.
    private mutating func checkOrder(_ wanted: [CommitSequence: [ExpectedHits.Hit]], _ topic: TopicName) {
        struct Line: Hashable {
            var partition: TopicPartition
            var held: DeliveredEntry.Subject?
        }
        var last: [Line: CommitSequence] = [:]
        let moved = Set(journal.faults.map(\.entry.offset))
        for entry in journal.delivered where !moved.contains(entry.offset) {
            // An entry that was set aside comes after its retry. One with a missing mark has the order of the backfill.
            guard let subject = entry.subject, !pastSubjects.contains(subject), let hits = wanted[subject.change],
                let fact = hits.first.map({ facts[$0.fact] }), fact.isMatched
            else { continue }
            let change = subject.change
            // What a policy holds before the feed comes after later changes.
            let isShaped = hits.contains {
                self.subject(of: $0) == subject
                    && context.history.versions[$0.version].saved?.subscription.notificationInfo.policy?.shapesFeed
                        == true
            }
            guard !isShaped, entry.covered.isEmpty else { continue }
            let hasPast = hits.contains {
                self.subject(of: $0) == subject
                    && context.history.versions[$0.version].saved?.subscription.backfill != nil
            }
            let line = Line(partition: fact.partition, held: hasPast ? subject.anyChange : nil)
            if let before = last[line], before > change {
                note(.outOfOrder, entry, topic, "it stands behind change \(before), which was committed later")
            } else {
                last[line] = change
            }
        }
    }

    /// A subscription that fires once is delivered once.
    private mutating func checkFiringOnce(_ topic: TopicName) {
        var first: [CommitSequence: Int64] = [:]
        let once = expected.filter { isOnce($0) }
        guard !once.isEmpty else { return }
        let byPlace = Dictionary(once.map { (subject(of: $0), $0) }) { $1 }
        for entry in journal.delivered {
            guard let subject = entry.subject, let hit = byPlace[subject] else { continue }
            let created = context.history.versions[hit.version].created
            if let offset = first.updateValue(entry.offset, forKey: created) {
                note(.doubled, entry, topic, "the subscription fires once, and has at \(offset)")
            }
        }
    }

    /// Returns true if a hit must be in the journal by now.
    private func isRequired(_ hit: ExpectedHits.Hit) -> Bool {
        let fact = facts[hit.fact]
        let version = context.history.versions[hit.version]
        guard fact.isMatched, !context.frontier.isSetAside(version, context.layout),
            !context.frontier.pending.contains(Frontier.Pending(user: user, change: fact.sequence)),
            isKept(fact.committed), !known.isHeld(subject(of: hit)), !known.held.contains(version.created),
            journal.start == 0 || !withPast.contains(subject(of: hit).anyChange)
        else { return false }
        guard isOnce(hit) else { return true }
        if pastDelivered.contains(subject(of: hit).anyChange) { return false }
        // It fires on one of the changes; which comes first, delivery decides. In a trimmed journal nobody knows.
        return journal.start == 0 && lastDelivered[subject(of: hit).anyChange] ?? .zero <= version.created
    }

    /// Returns true if retention has left the notification of a change that was committed at this time.
    private func isKept(_ committed: Timestamp) -> Bool {
        guard let cut, cut.mayHaveRemoved(committed) else { return true }
        // Entries of a backlog were appended long after their changes: then the user's own first one says more. A
        // backfill, and the hits that waited for it, come after later changes.
        let first = journal.delivered.first { entry in
            entry.past == nil && entry.subject.map { !withPast.contains($0.anyChange) } ?? true
        }
        guard let first = first?.time else { return false }
        return first.milliseconds + JournalCut.clockMillisecondsMax < committed.milliseconds
    }

    private func isOnce(_ hit: ExpectedHits.Hit) -> Bool {
        context.history.versions[hit.version].saved?.subscription.condition.firesOnce ?? false
    }

    private func expectedChange(_ change: CommitSequence) -> Bool { facts.contains { $0.sequence == change } }

    private func subject(of hit: ExpectedHits.Hit) -> DeliveredEntry.Subject {
        DeliveredEntry.Subject(facts[hit.fact].sequence, context.history.versions[hit.version].key)
    }

    /// Returns true if something can be said of an entry: its change is in the range, kept, and was read.
    func isJudged(_ entry: DeliveredEntry) -> Bool {
        guard context.plan.isInRange(entry.time), context.frontier.isKnown(entry.name),
            let change = entry.change, let partition = entry.partition
        else { return false }
        return change >= context.firstKept[partition] ?? CommitSequence(.max)
    }

    // MARK: Findings

    private mutating func note(_ faults: [SiftedTopic.Fault], in topic: TopicName) {
        for fault in faults where context.plan.isInRange(fault.entry.time) {
            note(fault.kind, fault.entry, topic, fault.detail)
        }
    }

    /// A missing entry that no other finding covers.
    private mutating func noteGap(in topic: TopicName) {
        if findings.isEmpty, let gap = journal.gap { note([gap], in: topic) }
    }

    private mutating func note(lost hit: ExpectedHits.Hit, _ topic: TopicName, _ detail: String) {
        note(lost: hit, of: context.history.versions[hit.version].key, topic, detail)
    }

    mutating func note(lost hit: ExpectedHits.Hit, of key: SubscriptionKey, _ topic: TopicName, _ detail: String) {
        findings.append(
            AuditFinding(
                kind: .lost, user: user, change: facts[hit.fact].sequence, database: key.database,
                subscription: key.id, topic: context.layout.shortName(topic), detail: detail))
    }

    mutating func noteMissingMark(of key: SubscriptionKey, _ topic: TopicName) {
        findings.append(
            AuditFinding(
                kind: .gap, user: user, database: key.database, subscription: key.id,
                topic: context.layout.shortName(topic),
                detail:
                    "its backfill is delivered in every partition, and stage 2 still waits for a mark: new hits are held"
            ))
    }

    mutating func note(_ kind: AuditFinding.Kind, _ entry: DeliveredEntry, _ topic: TopicName, _ detail: String) {
        let subject = entry.subject ?? entry.past?.subject
        findings.append(
            AuditFinding(
                kind: kind, user: user, change: entry.change,
                database: subject.flatMap { DatabaseScope(rawValue: $0.database) },
                subscription: subject.map { SubscriptionID(trusted: $0.subscription) },
                topic: context.layout.shortName(topic), offset: entry.offset, detail: detail))
    }
}
