package import CloudMessages
package import CloudModel
package import EventLog
import Synchronization
import Telemetry
import Timing
import Waiting

/// Follows all journals of a process, writes them into its view, and wakes the users' waiting readers.
package final class JournalTail: Sendable {
    static let read = Counter(
        "fanfare_feeds_journal_entries_total",
        "Entries of journals that were taken over into the process's view.")
    static let failures = Counter(
        "fanfare_feeds_journal_failures_total", "Times that following a partition of journals began again.")

    /// A callback for users whose journal has new entries.
    package struct Listener: Sendable {
        /// A user's journal has something new.
        package var arrived: @Sendable (UserRecordName) -> Void
        /// Something may have been missed.
        package var missed: @Sendable () -> Void

        package init(
            arrived: @escaping @Sendable (UserRecordName) -> Void, missed: @escaping @Sendable () -> Void
        ) {
            self.arrived = arrived
            self.missed = missed
        }

        /// A listener for nobody.
        package static let none = Listener(arrived: { _ in }, missed: {})
    }

    private struct Progress {
        var next: [TopicPartition: Int64] = [:]
        var start: [TopicPartition: Int64] = [:]
        var rebuilds: [TopicPartition: Int] = [:]
        /// The incarnations of the topic that partitions were last opened in.
        var incarnations: [TopicPartition: UInt64] = [:]
    }

    /// The longest that a reader waits for the view, which may be in a rebuild.
    static let patience = Duration.seconds(10)
    private static let pauses: (least: Duration, most: Duration) = (.milliseconds(100), .seconds(5))
    /// The time after which what retention has taken is looked for.
    private static let trimPause = Duration.seconds(60)

    let view: any KeyedView
    let ends: EndOffsetCache
    /// Rung for a partition whenever more of it is in the view.
    let moved = Bell<TopicPartition>()
    private let log: any EventLog
    let layout: TopicLayout
    /// The partitions that are followed.
    let partitions: [TopicPartition]
    private let listener: Listener
    private let progress = Mutex(Progress())

    /// - Parameter user: the only user whose journal is read; nil for all users.
    package init(
        _ log: any EventLog, layout: TopicLayout, view: any KeyedView, listener: Listener = .none,
        of user: UserRecordName? = nil
    ) {
        self.log = log
        self.layout = layout
        self.view = CachedKeyedView(view)
        self.listener = listener
        partitions =
            user.map { [layout.journals(of: $0)] }
            ?? (0..<layout.partitions).map { TopicPartition(layout.journals, $0) }
        ends = EndOffsetCache(log)
    }

    /// The offset up to which the view has a partition.
    func next(of partition: TopicPartition) -> Int64 { progress.withLock { $0.next[partition] ?? 0 } }

    /// The last reported start offset of a partition.
    func start(of partition: TopicPartition) -> Int64? { progress.withLock { $0.start[partition] } }

    /// The number of rebuilds of a partition: its topic was replaced, or restored from an older copy. Readers from
    /// before must reopen.
    func rebuilds(of partition: TopicPartition) -> Int { progress.withLock { $0.rebuilds[partition] ?? 0 } }

    /// Returns true if the view has all entries within the reported bounds and starts where they start. Bounds from
    /// before a rebuild are of another topic, and then the view has less or starts elsewhere.
    func agrees(with bounds: OffsetBounds, of partition: TopicPartition) -> Bool {
        progress.withLock { ($0.start[partition] == bounds.start) && $0.next[partition] ?? 0 >= bounds.end }
    }

    /// Returns true if the view has a partition up to an offset; entries from before its start or rebuild do not count.
    private func has(_ partition: TopicPartition, _ end: Int64) -> Bool {
        progress.withLock { $0.next[partition].map { $0 >= end } ?? false }
    }

    /// Waits until the view has a partition up to an offset.
    /// - Parameter rebuilds: the number of rebuilds at another one of which the wait ends; nil for any.
    /// - Throws: `LogError.unavailable` when that takes too long.
    func reach(_ partition: TopicPartition, _ end: Int64, unlessRebuiltSince rebuilds: Int? = nil) async throws {
        if has(partition, end) { return }
        let reached: Void? = try await Time.race(within: Self.patience) { [self] in
            try await moved.wait(for: partition) {
                has(partition, end) || rebuilds.map { $0 != self.rebuilds(of: partition) } ?? false
            }
        }
        guard reached != nil else {
            throw LogError.unavailable(
                "the journals of \(partition) are being read: \(next(of: partition)) of \(end)")
        }
    }

    /// Follows until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for partition in partitions { group.addTask { [self] in await follow(partition) } }
            group.addTask { [self] in await trim() }
        }
    }

    /// Brings the view to what the log holds now, once: for operators, who look at one moment.
    package func fill() async throws {
        for partition in partitions {
            let end = try await ends.bounds(of: partition).end
            let follower = try await open(partition)
            defer { follower.follower.close() }
            while next(of: partition) < end { try await take(from: follower, partition) }
        }
    }

    /// Lets go of the view.
    package func close() async { await view.close() }

    private func follow(_ partition: TopicPartition) async {
        var pause = Self.pauses.least
        while !Task.isCancelled {
            do {
                let opened = try await open(partition)
                defer { opened.follower.close() }
                listener.missed()
                while true {
                    try await take(from: opened, partition)
                    pause = Self.pauses.least
                }
            } catch {
                if Task.isCancelled { return }
                Self.failures.increment()
                Log.warning("feeds.journals.failed", ["partition": "\(partition)", "error": "\(error)"])
            }
            do { try await Time.sleep(for: pause) } catch { return }
            pause = min(pause * 2, Self.pauses.most)
        }
    }

    private struct Opened {
        var follower: any LogFollower
        var incarnation: UInt64
    }

    /// Opens a partition behind the entries that the view has. Entries of another topic, or removed ones, are dropped.
    private func open(_ partition: TopicPartition) async throws -> Opened {
        guard let topic = try await log.describeTopics([layout.journals])[layout.journals] else {
            throw LogError.unknownTopic(layout.journals.rawValue)
        }
        let incarnation = topic.incarnation ?? 0
        let bounds = try await ends.bounds(of: partition)
        // A view that the log serves itself is always of the present topic.
        let former = progress.withLock { $0.incarnations[partition] }
        if let former, former != incarnation { try await forget(partition) }
        progress.withLock { $0.incarnations[partition] = incarnation }
        var next = bounds.start
        if let place = try await view.place(of: partition) {
            if place.incarnation != incarnation || place.next < bounds.start {
                try await forget(partition)
            } else if place.next > bounds.end, try await isOlder(partition, than: place) {
                try await forget(partition)
            } else if let last = place.last, try await isOtherHistory(partition, than: last) {
                try await forget(partition)
            } else {
                next = place.next
            }
        }
        note(partition, next: next, start: bounds.start)
        return Opened(follower: try await log.follow(partition, from: next), incarnation: incarnation)
    }

    /// Removes a partition from the view. Readers with a position in it lose it; before the first note there is none.
    private func forget(_ partition: TopicPartition) async throws {
        progress.withLock { progress in
            if progress.next.removeValue(forKey: partition) != nil { progress.rebuilds[partition, default: 0] += 1 }
        }
        try await view.forget(partition)
    }

    /// Indicates whether a log holds less than the view for longer than a moment: then it was restored from an older
    /// copy.
    private func isOlder(_ partition: TopicPartition, than place: KeyedPlace) async throws -> Bool {
        try await Time.sleep(for: log.staleBoundsMax)
        return try await ends.bounds(of: partition).end < place.next
    }

    /// Indicates whether a log has another entry where the view has its last one: it was restored from an older copy,
    /// or lost its tail, and has grown since.
    /// - Throws: `LogError.unavailable` if the log does not come as far.
    private func isOtherHistory(_ partition: TopicPartition, than last: EntryMark) async throws -> Bool {
        do {
            guard let entry = try await log.reader(of: partition).first(from: last.offset) else {
                throw LogError.unavailable("\(partition) is not seen as far as offset \(last.offset)")
            }
            return Self.mark(entry) != last
        } catch LogError.offsetOutOfRange(_, let requested, let bounds) where requested < bounds.start {
            // Retention took it.
            return false
        }
    }

    private static func mark(_ entry: LogEntry) -> EntryMark {
        EntryMark(offset: entry.offset, hash: FeedPosition.fingerprint((entry.key ?? []) + (entry.value ?? [])))
    }

    private func take(from opened: Opened, _ partition: TopicPartition) async throws {
        let batch = try await opened.follower.next()
        guard batch.nextOffset > next(of: partition) else { return }
        try await view.take(
            batch.entries.map(Self.kept), of: partition,
            to: KeyedPlace(
                incarnation: opened.incarnation, next: batch.nextOffset, last: batch.entries.last.map(Self.mark)))
        Self.read.increment(by: batch.entries.count)
        note(partition, next: batch.nextOffset, start: nil)
        for key in Set(batch.entries.compactMap(\.key)) {
            listener.arrived(UserRecordName(key: key))
        }
    }

    /// An entry as readers need it: of its headers with that of the trace alone.
    private static func kept(_ entry: LogEntry) -> LogEntry {
        var entry = entry
        entry.headers = OperatorHeaders.ofTrace(entry)
        return entry
    }

    private func note(_ partition: TopicPartition, next: Int64, start: Int64?) {
        progress.withLock { progress in
            progress.next[partition] = next
            if let start { progress.start[partition] = start }
        }
        moved.ring(partition)
    }

    /// Takes out of the view what retention has taken out of the topic.
    private func trim() async {
        while true {
            do { try await Time.sleep(for: Self.trimPause) } catch { return }
            for partition in partitions {
                do {
                    let start = try await ends.bounds(of: partition).start
                    guard start > self.start(of: partition) ?? 0 else { continue }
                    try await view.trim(partition, before: start)
                    progress.withLock { $0.start[partition] = start }
                } catch {
                    Log.warning("feeds.journals.trim.failed", ["partition": "\(partition)", "error": "\(error)"])
                }
            }
        }
    }
}
