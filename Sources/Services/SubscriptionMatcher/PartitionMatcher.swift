import CloudMessages
import CloudModel
import Continuity
import EventLog
import Poison
import ProtocolBuffers
import Stages
import Telemetry

/// The work of stage 1 on one partition of changes: matches each, writes its hits, and notes the position.
struct PartitionMatcher {
    static let matched = Counter("fanfare_subscription_matcher_changes_total", "Changes that were matched.")
    static let repeats = Counter(
        "fanfare_subscription_matcher_repeated_changes_total", "Changes that came again and were dropped.")
    static let hits = Counter("fanfare_subscription_matcher_hits_total", "Subscriptions that fired.")
    static let malformed = Counter(
        "fanfare_subscription_matcher_malformed_changes_total", "Changes that could not be read and were set aside.")

    static let age = Histogram(
        "fanfare_subscription_matcher_age_seconds",
        "From the commit of a change to the moment at which its hits are in deliveries; the oldest of those written together."
    )

    /// Changes that go to a thread together.
    private static let changesMax = 64
    /// Changes after which the position is noted.
    private static let unnotedMax = 512

    /// A change that is read, with its name and what it carries of its trace.
    private typealias Met = (change: Change, name: SourcePosition, trace: [UInt8])
    private typealias TracedChange = (trace: [UInt8], offset: Int64, start: Int64)

    private let run: MatchRun
    private let partition: TopicPartition
    private let source: SourceID
    private let names: HitNames
    private let watch: PoisonWatch?
    private var position: LogPosition
    private var outputs: MatchOutputs
    private let progress: PartitionPosition
    /// The bytes of hits in the current window of time.
    private var rates = HitRates()
    /// The changes in traces that are kept, whose hits are not written yet.
    private var traced: [TracedChange] = []
    /// The commit of the oldest change whose hits are not written yet.
    private var oldest: Timestamp?
    /// The last entry.
    private var last: LogEntry?

    private init(
        _ run: MatchRun, _ partition: TopicPartition, incarnation: UInt64, _ progress: PartitionPosition,
        formerEnd: Int64
    ) {
        self.progress = progress
        self.run = run
        self.partition = partition
        source = SourceID(
            origin: run.layout.shortName(partition.topic), incarnation: incarnation, partition: partition.partition)
        watch = run.poison?.watch(.match, partition, incarnation: incarnation)
        position = progress.live
        names = HitNames(source, run.layout, formerEnd: formerEnd)
        outputs = MatchOutputs(layout: run.layout)
    }

    /// Works on a partition from its committed position on, until the task is cancelled or something fails.
    static func work(
        on partition: TopicPartition, _ membership: any LogMembership, in run: MatchRun, _ doubts: TailDoubts
    ) async throws {
        let committed = try await membership.committed([partition])[partition]
        // The topic's incarnation, which is part of every hit's name, is read at each start of a partition: the topic
        // may have been recreated while the stage went on, and its old position may have been committed since.
        let (position, follower, lost) = try await run.log.follow(partition, from: committed) {
            try await membership.start(partition, from: $0)
        }
        lost?.report(by: .match)
        let incarnation = position.incarnation
        let formerEnd = try await formerEnd(of: partition, committed, run.log)
        let progress = PartitionPosition(
            position, of: partition, isElsewhere: lost != nil || committed?.isOf(incarnation) == false, run.committer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var matcher = PartitionMatcher(
                    run, partition, incarnation: incarnation, progress, formerEnd: formerEnd)
                if let start = progress.counted { try await matcher.countAgain(from: start) }
                while true { try await matcher.match(try await follower.next()) }
            }
            group.addTask {
                var worker = BackfillWorker(run, partition, incarnation: incarnation, progress)
                try await worker.work()
            }
            group.addTask { try await doubts.compare(partition) { progress.live } }
            try await group.next()
        }
    }

    /// The end of the changes whose hits a build that named them by offsets may have written; 0 if the position was
    /// committed by a build that does not.
    private static func formerEnd(
        of partition: TopicPartition, _ committed: LogPosition?, _ log: any EventLog
    ) async throws -> Int64 {
        guard committed?.marks.isEmpty ?? true else { return 0 }
        return try await log.bounds(of: [partition])[partition]?.end ?? 0
    }

    /// Matches a batch and writes its hits, and notes the position several times on the way: what a kill makes to be
    /// done again is little, and so is what a cancellation has to wait for.
    private mutating func match(_ batch: LogBatch) async throws {
        var unnoted = 0
        for first in stride(from: 0, to: batch.entries.count, by: Self.changesMax) {
            try Task.checkCancellation()
            let end = min(first + Self.changesMax, batch.entries.count)
            try await match(batch.entries[first..<end])
            unnoted += end - first
            if unnoted >= Self.unnotedMax, end < batch.entries.count {
                try await note(before: batch.entries[end].offset)
                unnoted = 0
            }
        }
        try await note(before: batch.nextOffset)
    }

    /// Writes the remaining hits; then the position may be committed.
    private mutating func note(before offset: Int64) async throws {
        let rest = outputs.take()
        if !rest.isEmpty {
            try await run.writer.append(rest)
            KillPoint.reach(.matchAppended)
        }
        position.offset = offset
        if let last { position.note(last) }
        progress.note(position, counted: rates.start(at: offset), at: last?.timestamp)
        recordSpans()
        if let oldest {
            Self.age.record(.milliseconds(max(0, WallClock.milliseconds - oldest.milliseconds)))
        }
        run.progress.advanced(partition, to: offset, time: oldest.map { LogTimestamp($0) })
        oldest = nil
    }

    private mutating func match(_ entries: ArraySlice<LogEntry>) async throws {
        var changes: [(met: Met, entry: LogEntry)] = []
        last = entries.last ?? last
        for entry in entries {
            // Unreadable, a duplicate, or set aside.
            guard let met = try await change(of: entry) else { continue }
            changes.append((met, entry))
            if !met.trace.isEmpty, Tracer.shared.isOn {
                traced.append((met.trace, entry.offset, WallClock.nanoseconds))
            }
            oldest = min(oldest ?? met.change.committed, met.change.committed)
        }
        for (met, _) in changes where !run.subscriptions.isReady(for: met.change) {
            try await run.subscriptions.wait(for: met.change)
        }
        var done = 0
        while done < changes.count {
            let met = changes[done...].map { ($0.met.change, $0.entry.offset) }
            let hits = await run.subscriptions.hits(of: met, watch)
            for (found, (met, entry)) in zip(hits, changes[done...]) {
                rates.advance(to: entry.timestamp)
                if !found.isEmpty { try await write(found, of: met, entry) }
            }
            Self.matched.increment(by: hits.count)
            done += hits.count
        }
    }

    /// Records spans of the changes whose hits are written now.
    private mutating func recordSpans() {
        guard !traced.isEmpty else { return }
        let end = WallClock.nanoseconds
        for change in traced {
            let place = (partition.partition, change.offset)
            Span(stage: "match", of: change.trace, place: place, start: change.start, end: end)
                .map(Tracer.shared.record)
        }
        traced = []
    }

    /// Makes the entries of one change's hits; writes full ones.
    private mutating func write(_ hits: [FiredSubscription], of met: Met, _ entry: LogEntry) async throws {
        Self.hits.increment(by: hits.count)
        let name = names.name(of: met.name, at: entry.offset)
        var entries = HitEntries(
            hits, of: met.change, changeBytes: entry.value?.count ?? 0, source: name.source, number: name.offset,
            place: entry.offset, formerly: names.formerly(of: name, at: entry.offset), trace: met.trace)
        let traceparent = TraceContext(met.trace)?.traceparent
        while let made = entries.next(within: &rates) {
            // One change may hit thousands, each with a megabyte of fields.
            if outputs.isFull { try await run.writer.append(outputs.take()) }
            outputs.add(made, of: met.change, named: name, traceparent: traceparent)
        }
    }

    /// Counts the hits of the current window that the former owner has written, so that the rates go on as they would
    /// have there.
    /// - Parameter start: its beginning. The relay's repeats of changes before the first counted one are below that.
    private mutating func countAgain(from start: HitRates.Start) async throws {
        rates = HitRates(from: start)
        guard let bounds = try await run.log.bounds(of: [partition])[partition] else { return }
        let first = max(start.offset, bounds.start)
        guard first < position.offset, position.offset <= bounds.end else { return }
        let follower = try await run.log.follow(partition, from: first)
        defer { follower.close() }
        var seen = LogPosition(offset: 0)
        while true {
            let batch = try await follower.next()
            for entry in batch.entries where entry.offset < position.offset {
                guard let event = try? ChangeEvent(decoding: entry.value ?? []), !event.boundary,
                    let name = event.source?.position, let change = try? event.change(), seen.advance(to: name)
                else { continue }
                if !run.subscriptions.isReady(for: change) { try await run.subscriptions.wait(for: change) }
                rates.advance(to: entry.timestamp)
                let found = await run.subscriptions.hits(of: [(change, entry.offset)], watch).first ?? []
                let hits = names.name(of: name, at: entry.offset)
                var entries = HitEntries(
                    found, of: change, changeBytes: entry.value?.count ?? 0, source: hits.source, number: hits.offset,
                    place: entry.offset, trace: event.trace)
                while entries.next(within: &rates) != nil {}
            }
            guard batch.nextOffset < position.offset else { return }
        }
    }

    /// The change of an entry; nil for a duplicate, and for an entry that is set aside or unreadable.
    private mutating func change(of entry: LogEntry) async throws -> Met? {
        do {
            let met = try watch.meet(entry.offset) { _ in
                guard let value = entry.value else { throw MalformedMessage("a change without a value") }
                let event = try ChangeEvent(decoding: value)
                // A boundary is for those who read the past.
                guard !event.boundary else { return nil as Met? }
                guard let name = event.source?.position else { throw MalformedMessage("a change without a source") }
                return (change: try event.change(), name: name, trace: event.trace)
            }
            // Set aside by its offset, so that it was not read.
            guard let read = met else {
                passBy(entry)
                return nil
            }
            // A boundary.
            guard let met = read else { return nil }
            if position.advance(to: met.name) { return met }
            Self.repeats.increment()
        } catch {
            // Poison is set aside: it stays where it is in the topic, and is counted and named here.
            passBy(entry)
            Self.malformed.increment()
            entry.inTrace {
                Log.error(
                    "change.malformed",
                    ["source": "\(source)", "offset": entry.offset, "error": "\(error)"])
            }
            let place = PoisonPlace(
                stage: .match, topic: source.origin, incarnation: source.incarnation, partition: source.partition,
                offset: entry.offset)
            try await run.poison?.noteUnreadable(place, "\(error)")
        }
        return nil
    }

    /// Takes note of the name of a change that is set aside: published again, it would be met once more, and its retry
    /// would be a second one. It is not read for that, as a process may have died at its contents.
    private mutating func passBy(_ entry: LogEntry) {
        if let name = OperatorHeaders.changeName(of: entry) { _ = position.advance(to: name) }
    }
}
