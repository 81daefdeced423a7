import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The searches of one way, each by an order that the entries of a topic have.
struct WaySearch {
    /// The notification and what it was made from, as far as they are kept.
    struct Found {
        /// The change; nil where it is not kept.
        var change: FoundChange?
        /// The hit in `deliveries`; nil where it is not kept, or not there yet.
        var hit: Hit?
        /// The entry of the journal; nil where there is none yet.
        var journal: DeliveredEntry?
        /// The subscriptions of the user that notified of the change.
        var subscriptions: [String] = []
    }

    /// An entry of `deliveries` with hits of the user on the change.
    struct Hit {
        var partition: TopicPartition
        var offset: Int64
        /// The time of its append.
        var time: Timestamp
        /// The place of the change that stage 1 read; nil for hits of a backfill.
        var change: (partition: TopicPartition, offset: Int64)?
        var subscriptions: [String]
    }

    /// A push that was asked for.
    struct Push {
        var name: SourcePosition
        var entry: PushEvidence.Entry
        var place: ExplainedPlace
        /// The number of changes that it stands for.
        var changeCount: Int64
    }

    /// The entries of `pushes`.
    enum Pushes {
        /// One for the devices that no policy has wait, and one for each policy that held it, in the topic's order.
        case found([Push])
        /// None was asked for so far.
        case none
        /// None is among the next entries.
        case unfinished
        /// Entries of that time are not kept any more, or there is no such topic.
        case unknown
    }

    /// Entries before and behind a place that an order which holds nearly always leads to.
    private static let nearEntries: Int64 = 500
    /// Entries behind a notification among which its read mark is looked for, and pushes of it behind its name.
    private static let laterEntriesMax = 20_000

    private let evidence: LogEvidence
    private let question: WayFinder.Question
    private var layout: TopicLayout { evidence.layout }

    init(_ evidence: LogEvidence, _ question: WayFinder.Question) {
        self.evidence = evidence
        self.question = question
    }

    /// Finds the notification in the journal by the order of changes, and goes back from its name to the hit, and from
    /// the hit's name to the change. Where the journal does not lead to it, begins with the change.
    /// - Throws: `ReadingBudget.Spent`; then `found` has the results until then.
    func find(_ found: inout Found) async throws {
        var near = try await nearInJournal(question.change, isPast: false)
        if near.isEmpty, let created = question.created, question.change <= created {
            near = try await nearInJournal(created, isPast: true)
        }
        if let first = near.first {
            found.journal = first
            found.subscriptions = near.compactMap { subject($0)?.subscription }
            return try await goBack(from: first, &found)
        }
        found.change = try await change()
        guard let change = found.change else { return }
        if let hit = try await hit(since: change.change.committed, before: nil) {
            found.hit = hit
            found.subscriptions = hit.subscriptions
            if let place = hit.change, let read = try await FoundChange.at(place.offset, place.partition, evidence) {
                found.change = read
            }
            found.journal = try await evidence.delivered(
                of: question.user, madeFrom: hit.offset, in: nil, isSought)
        }
        guard found.journal == nil else { return }
        found.journal = try await evidence.delivered(of: question.user, since: change.change.committed, isSought)
        if let journal = found.journal { try await goBack(from: journal, &found) }
    }

    /// Scans, and ends where the budget ends, if something is found by then.
    private func scan(
        _ entries: any EntryReader, from start: Int64, to end: Int64, keeping isFound: () -> Bool,
        _ take: (LogEntry) throws -> Bool
    ) async throws {
        do {
            try await evidence.scan(entries, from: start, to: end, take)
        } catch let spent as ReadingBudget.Spent {
            guard isFound() else { throw spent }
        }
    }

    // MARK: The journal

    /// The change and the subscription of a notification, also of one that is backfilled.
    private func subject(_ entry: DeliveredEntry) -> DeliveredEntry.Subject? { entry.subject ?? entry.past?.subject }

    /// The user's subscription that a notification is of.
    private func subscription(of entry: DeliveredEntry) -> SubscriptionKey? {
        guard let subject = subject(entry), let database = DatabaseScope(rawValue: subject.database) else { return nil }
        return SubscriptionKey(
            user: question.user, database: database, id: SubscriptionID(trusted: subject.subscription))
    }

    /// Returns true if an entry of the journal is a notification that is looked for.
    private func isSought(_ entry: DeliveredEntry) -> Bool {
        guard let subject = subject(entry), entry.standsFor(question.change) else { return false }
        return (question.database.map { $0.rawValue == subject.database } ?? true)
            && (question.subscription.map { $0.rawValue == subject.subscription } ?? true)
    }

    /// The notifications of the change in the journal, found by the sequences of changes, which nearly ascend there: a
    /// partition of changes may be behind another one.
    /// - Parameter isPast: true for those of a backfill, which are near the subscription's creation.
    private func nearInJournal(_ sequence: CommitSequence, isPast: Bool) async throws -> [DeliveredEntry] {
        guard let journal = try await evidence.journal(of: question.user) else { return [] }
        let held = journal.bounds
        let place = try await evidence.firstNotBefore(journal) { entry in
            DeliveredEntry(entry, layout).subject.map { $0.change < sequence }
        }
        var (found, later): ([DeliveredEntry], Int64) = ([], 0)
        let from = max(held.start, place - Self.nearEntries)
        try await scan(journal, from: from, to: held.end, keeping: { !found.isEmpty }) { entry in
            let delivered = DeliveredEntry(entry, layout)
            if isSought(delivered), (delivered.past != nil) == isPast { found.append(delivered) }
            if let subject = delivered.subject, subject.change > sequence { later += 1 }
            // The notifications of one change are made from neighbouring hits.
            return later > (found.isEmpty ? Self.nearEntries : 0)
        }
        return found
    }

    /// Finds the hit and the change that a notification was made from.
    private func goBack(from journal: DeliveredEntry, _ found: inout Found) async throws {
        if let subject = subject(journal), subject.change != question.change {
            // A policy had a later change of the subscription stand for it: the entry leads to that one's hit.
            found.change = try await change(in: DatabaseScope(rawValue: subject.database))
            if let change = found.change { found.hit = try await hit(since: change.change.committed, before: nil) }
            return
        }
        if journal.name.source.origin == layout.shortName(layout.deliveries) {
            let partition = TopicPartition(layout.deliveries, journal.name.source.partition)
            let offset = journal.name.offset
            if let deliveries = try await evidence.reader(of: partition), deliveries.bounds.contains(offset) {
                found.hit = try await hit(at: offset, in: deliveries, partition)
                // Hits that waited for a backfill are named by the entry that ended it.
                if found.hit == nil { found.hit = try await hit(since: journal.time, before: offset) }
            }
        }
        if let place = found.hit?.change {
            found.change = try await FoundChange.at(place.offset, place.partition, evidence)
        }
        guard found.change?.change.sequence != question.change, let partition = journal.partition,
            let changes = try await evidence.reader(of: partition)
        else { return }
        found.change = try await FoundChange.halve(question.change, partition, changes, evidence)
    }

    // MARK: The change and the hit

    /// The change, found by its sequence in each partition that may have it.
    private func change(in known: DatabaseScope? = nil) async throws -> FoundChange? {
        // First the database whose partition is known: the user owns all zones of it.
        let databases = (question.database ?? known).map { [$0] } ?? [.private, .public, .shared]
        for database in databases {
            let numbers =
                database == .private
                ? [layout.partition(of: layout.userKey(question.user))] : Array(0..<layout.partitions)
            let partitions = numbers.map { TopicPartition(layout.changes(database), $0) }
            for (partition, changes) in try await evidence.readers(of: partitions) {
                if let found = try await FoundChange.halve(question.change, partition, changes, evidence) {
                    return found
                }
            }
        }
        return nil
    }

    private func hit(
        at offset: Int64, in deliveries: any EntryReader, _ partition: TopicPartition
    ) async throws -> Hit? {
        try await evidence.entry(from: offset, to: offset + 1, of: deliveries).flatMap { hit($0, partition) }
    }

    /// The first hit of the user on the change, looked for from the time of the change on.
    private func hit(since time: Timestamp, before end: Int64?) async throws -> Hit? {
        let partition = layout.deliveries(of: question.user)
        guard let deliveries = try await evidence.reader(of: partition) else { return nil }
        let place = try await evidence.firstNotBefore(deliveries) { evidence.isBefore($0, time) }
        var found: Hit?
        try await evidence.scan(deliveries, from: place, to: end ?? deliveries.bounds.end) { entry in
            found = hit(entry, partition)
            return found != nil
        }
        return found
    }

    private func hit(_ entry: LogEntry, _ partition: TopicPartition) -> Hit? {
        guard let message = try? entry.value.map({ try DeliveryEntry(reading: $0) }),
            message.user == question.user.rawValue, case .hits(let hits)? = message.event,
            hits.change == question.change.rawValue
        else { return nil }
        let fired = hits.hits.filter { hit in
            (question.database.map { $0.rawValue == hit.database } ?? true)
                && (question.subscription.map { $0.rawValue == hit.subscription } ?? true)
        }
        guard !fired.isEmpty else { return nil }
        var hit = Hit(
            partition: partition, offset: entry.offset, time: Timestamp(milliseconds: entry.appended.milliseconds),
            subscriptions: fired.map(\.subscription))
        if let source = message.source, let database = message.hitsDatabase {
            hit.change = (TopicPartition(layout.changes(database), source.partition), message.place)
        } else if let source = message.source?.position, !message.isOfPast,
            let database = DatabaseScope.allCases.first(where: {
                layout.shortName(layout.changes($0)) == source.source.origin
            })
        {
            hit.change = (TopicPartition(layout.changes(database), source.source.partition), source.offset)
        }
        return hit
    }

    // MARK: Behind the journal

    /// The mark by which the user read the notification; nil if it is not among the next entries of the journal.
    /// - Returns: the mark, and whether all of the journal was looked at.
    func readMark(after journal: DeliveredEntry) async throws -> (mark: DeliveredEntry?, isWhole: Bool) {
        guard let entries = try await evidence.journal(of: question.user) else { return (nil, false) }
        var (mark, seen): (DeliveredEntry?, Int) = (nil, 0)
        try await evidence.scan(entries, from: journal.offset + 1, to: entries.bounds.end) { entry in
            seen += 1
            let message = try? entry.value.map { try FeedEntry(decoding: $0) }
            if case .read(let read)? = message?.entry, read.change == question.change.rawValue {
                mark = DeliveredEntry(entry, layout)
            }
            return mark != nil || seen >= Self.laterEntriesMax
        }
        return (mark, seen < Self.laterEntriesMax)
    }

    /// The pushes for a notification: one has its name, by whose order it is found. Those that policies held come
    /// later, under names of their own. Nothing here says which devices were held, and the user's devices change: so the
    /// search goes on. Where the budget ends, those that were found by then.
    func pushes(of journal: DeliveredEntry) async throws -> Pushes {
        let partition = layout.pushes(of: question.user)
        guard let entries = try await evidence.reader(of: partition) else { return .unknown }
        let held = entries.bounds
        let place = try await evidence.firstNotBefore(entries) { entry in
            guard let name = (try? entry.value.map { try PushEntry(decoding: $0) })??.source?.position,
                name.source == journal.name.source
            else { return nil }
            return journal.name.isAbove(name)
        }
        var (found, seen): ([Push], Int) = ([], 0)
        try await scan(entries, from: place, to: held.end, keeping: { !found.isEmpty }) { entry in
            seen += 1
            if let push = push(entry, partition, of: journal), !found.contains(where: { $0.name == push.name }) {
                found.append(push)
            }
            return seen >= Self.laterEntriesMax
        }
        guard found.isEmpty else { return .found(found) }
        // All that was made later is kept, so one before the first kept entry may have been removed.
        guard held.start == 0 || place > held.start else { return .unknown }
        return seen < Self.laterEntriesMax ? .none : .unfinished
    }

    /// The push of an entry of `pushes`, if it is for the notification.
    private func push(_ entry: LogEntry, _ partition: TopicPartition, of journal: DeliveredEntry) -> Push? {
        guard let message = try? entry.value.map({ try PushEntry(decoding: $0) }), message.hints.isEmpty,
            message.user == question.user.rawValue, let name = message.source?.position,
            let notification = message.notification, let key = subscription(of: journal),
            name == journal.name || notification.standsFor(question.change, of: key)
        else { return nil }
        return Push(
            name: name, entry: PushEvidence.Entry(message, at: entry.offset),
            place: ExplainedPlace(
                topic: layout.shortName(partition.topic), partition: partition.partition, offset: entry.offset,
                time: Timestamp(milliseconds: entry.appended.milliseconds)),
            changeCount: max(notification.changeCount, Int64(notification.covered.count) + 1))
    }
}
