import CloudMessages
import CloudModel
import EventLog
import Poison
import ProtocolBuffers
import Stages
import Synchronization
import Telemetry
import Timing
import Waiting

/// Sends the pushes of one partition of `pushes`: takes its state over, which fences the former owner, and goes on from
/// there.
final class PartitionSender: Sendable {
    enum Ring: Hashable { case ready, room, changed, full, committed, answered, wanted, caughtUp }

    /// Look-ups of addresses at once.
    private static let lookUpsMax = 256
    /// The time that pushes in flight may take when the work ends.
    private static let endMax = Duration.seconds(2)
    /// The pause before a position is committed that nothing else has changed with.
    private static let idlePause = Duration.seconds(2)
    /// Outcomes without a commit, after which nothing more is sent: a sender that was fenced stops soon.
    static let uncommittedMax = 1000
    /// Bytes of entries that are read beyond the last commit.
    private static let readAheadMax = 4 << 20

    let parts: PushSender.Parts
    let partition: TopicPartition
    let dispatcher: PushDispatcher
    private let progress: StageProgress
    let state: Mutex<SenderState>
    /// The incarnation of `pushes`.
    private let incarnation: UInt64
    /// The entries that are passed by; marks the one in work.
    let watch: PoisonWatch?
    let bell = Bell<Ring>()
    /// Sendings without an end so far.
    let sending = Mutex(0)
    private let lookUps = Mutex(0)
    /// The end of the partition after the takeover.
    private let endAtStart: Int64
    /// True once all that a former owner may have sent is read.
    private let hasCaughtUp = Mutex(false)
    /// Bytes of entries that are read and not committed.
    let ahead = Mutex(0)
    private let isCommitDead = Mutex(false)
    private let isEnding = Mutex(false)
    private let lastRows = Mutex<(time: ContinuousClock.Instant, rows: [PushSenderMetrics.Row])?>(nil)

    /// False while too many outcomes wait for a commit: a crash would repeat ever more.
    var hasRoomToSettle: Bool { state.withLock { $0.settledCount } < Self.uncommittedMax }

    /// True once the partition is given back: nothing more is sent.
    var hasEnded: Bool { isEnding.withLock { $0 } }

    private init(
        _ parts: PushSender.Parts, _ partition: TopicPartition, _ dispatcher: PushDispatcher,
        _ progress: StageProgress, _ state: SenderState, incarnation: UInt64, end: Int64
    ) {
        self.parts = parts
        self.partition = partition
        self.dispatcher = dispatcher
        self.progress = progress
        var state = state
        state.keepsUnsent = parts.journal != nil
        self.state = Mutex(state)
        self.incarnation = incarnation
        endAtStart = end
        watch = parts.poison?.watch(.push, partition, incarnation: incarnation)
    }

    /// Sends until the partition is taken away, or fails.
    static func run(
        _ parts: PushSender.Parts, _ partition: TopicPartition, _ membership: any LogMembership,
        _ dispatcher: PushDispatcher, _ progress: StageProgress
    ) async throws {
        let session = try await parts.log.takeOver(
            StateClaim(
                input: partition, group: parts.layout.pushGroup,
                state: TopicPartition(parts.layout.pushState, partition.partition)))
        try await Task.closing({ await session.close() }) {
            let stored = session.initialState
            let known = try stored[PartitionState.key].map { try PartitionState(decoding: $0) }
            let start = try await SenderStart(
                parts.log, partition, committed: session.initialOffset, known, membership)
            // Behind a gap the position stays before it, until the gap is made up for.
            let committed = LogPosition(
                offset: session.initialOffset ?? 0, incarnation: known?.incarnation ?? 0)
            let state = try SenderState(
                stored, position: start.isLost ? committed : start.position,
                contentBytesMax: parts.settings.contentBytesMax, now: dispatcher.clock.now)
            let sender = PartitionSender(
                parts, partition, dispatcher, progress, state, incarnation: start.position.incarnation, end: start.end)
            let missed = start.isLost ? MissedRows(stored, start: start.position) : nil
            if start.isLost { sender.reportLoss(from: session.initialOffset, to: start.position.offset) }
            try await sender.run(session, start.follower, missed)
        }
    }

    private func run(
        _ session: any LogStateSession, _ follower: any LogFollower, _ missed: MissedRows?
    ) async throws {
        let number = dispatcher.enter(self)
        let shown = PushSenderMetrics.show { self.rows() }
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await self.parts.addresses.follow(self.partition.partition) }
                group.addTask { try await self.read(follower, missed) }
                group.addTask { try await self.list(number) }
                group.addTask { try await self.loadWanted() }
                group.addTask { try await self.commitAgainAndAgain(session) }
                try await group.next()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        dispatcher.leave(number)
        isEnding.withLock { $0 = true }
        bell.ring(.committed)
        // Not cancelled with this task: a successor then has nothing to repeat.
        await Task { await self.end(session) }.value
        PushSenderMetrics.hide(shown)
        try result.get()
    }

    /// Waits a little for pushes in flight, and commits the last outcomes.
    private func end(_ session: any LogStateSession) async {
        _ = try? await Time.race(within: Self.endMax) {
            try await self.bell.wait(for: .answered) { self.sending.withLock { $0 == 0 } }
        }
        guard !isCommitDead.withLock({ $0 }) else { return }
        _ = try? await Time.race(within: Self.endMax) { try await self.commit(session) }
    }

    // MARK: Reading

    private func read(_ follower: any LogFollower, _ missed: MissedRows?) async throws {
        var missed = missed
        while true {
            let batch = try await follower.next()
            if let rows = missed.take() { try await makeUp(for: rows, before: Self.firstName(in: batch.entries)) }
            for entry in batch.entries { try await take(entry) }
            state.withLock { state in
                state.position.offset = max(state.position.offset, batch.nextOffset)
                if let last = batch.entries.last { state.position.note(last) }
            }
            // The end that a broker reports may lie behind a transaction that is open.
            if batch.isAtEnd || batch.nextOffset >= endAtStart { catchUp() }
            let bytes = batch.entries.reduce(0) { $0 + ($1.value?.count ?? 0) }
            let isFull = ahead.withLock { ahead in
                ahead += bytes
                return ahead > Self.readAheadMax
            }
            for ring in [Ring.ready, .changed] + (isFull ? [.full] : []) { bell.ring(ring) }
            progress.advanced(partition, to: batch.nextOffset, time: batch.entries.last?.timestamp)
            try await bell.wait(for: .committed) { self.ahead.withLock { $0 <= Self.readAheadMax } }
        }
    }

    private func catchUp() {
        let isFirst = hasCaughtUp.withLock { hasCaughtUp in
            defer { hasCaughtUp = true }
            return !hasCaughtUp
        }
        if isFirst { bell.ring(.caughtUp) }
    }

    private func take(_ entry: LogEntry) async throws {
        do {
            let read = try watch.meet(entry.offset) { _ in
                guard let value = entry.value else { throw MalformedMessage("a push without a value") }
                return try PushArrival.reading(value, at: entry.offset)
            }
            guard let arrivals = read else { return }
            let now = dispatcher.clock.now
            let collapsed = state.withLock { state -> [CourierKind] in
                state.position.offset = max(state.position.offset, entry.offset + 1)
                guard let name = arrivals.first?.push.name, state.position.advance(to: name) else { return [] }
                return arrivals.filter(hasProvider).compactMap { arrival in
                    var push = arrival.push
                    push.handed = now
                    let before = state.collapsedCount
                    state.take(push, for: arrival.destination, of: arrival.user, at: now)
                    return state.collapsedCount > before ? arrival.destination.kind : nil
                }
            }
            for kind in collapsed { PushSenderMetrics.count(kind, .collapsed) }
            if !collapsed.isEmpty { noteUnsent() }
        } catch {
            PushSenderMetrics.malformed.increment()
            Log.error("sender.malformed", ["partition": "\(partition)", "offset": entry.offset, "error": "\(error)"])
            let place = PoisonPlace(
                stage: .push, topic: parts.layout.shortName(partition.topic), incarnation: incarnation,
                partition: partition.partition, offset: entry.offset)
            try await parts.poison?.noteUnreadable(place, "\(error)")
        }
    }

    /// Returns false for a push of another courier's, or of a kind that this process has no provider for.
    private func hasProvider(_ arrival: PushArrival) -> Bool {
        if parts.providers[arrival.destination.kind] != nil { return true }
        // Earlier versions wrote those of web couriers, too.
        if arrival.destination.kind != .web {
            PushSenderMetrics.count(arrival.destination.kind, .dropped, "noProvider")
            note(
                UnsentPush(
                    destination: arrival.destination, user: arrival.user, push: arrival.push,
                    end: .dropped("noProvider")))
        }
        return false
    }

    private static func firstName(in entries: [LogEntry]) -> SourcePosition? {
        for entry in entries {
            if let value = entry.value, let first = try? PushArrival.reading(value).first { return first.push.name }
        }
        return nil
    }

    // MARK: Queues

    /// Puts due pushes into the queues, by their addresses.
    private func list(_ number: Int) async throws {
        try await bell.wait(for: .caughtUp) { self.hasCaughtUp.withLock { $0 } }
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                try await bell.wait(for: .committed) { self.hasRoomToSettle }
                let ticket = bell.register(.ready)
                let now = dispatcher.clock.now
                let (found, next) = state.withLock { state in
                    (state.takeReady(at: now, max: Self.lookUpsMax), state.nextDue)
                }
                for destination in found {
                    try await bell.wait(for: .room) { self.lookUps.withLock { $0 < Self.lookUpsMax } }
                    lookUps.withLock { $0 += 1 }
                    group.addTask {
                        await self.list(destination, number)
                        self.lookUps.withLock { $0 -= 1 }
                        self.bell.ring(.room)
                    }
                }
                guard found.isEmpty else {
                    bell.drop(ticket, for: .ready)
                    continue
                }
                try Task.checkCancellation()
                guard let next else {
                    await bell.wait(ticket, for: .ready)
                    continue
                }
                let pause = Duration.milliseconds(max(1, next.milliseconds - now.milliseconds))
                _ = try? await Time.race(within: pause) { await self.bell.wait(ticket, for: .ready) }
            }
        }
    }

    private func list(_ destination: PushDestination, _ number: Int) async {
        guard let (user, address) = await address(of: destination) else { return }
        guard let address, let provider = parts.providers[destination.kind] else {
            return drop(destination, "noAddress", isForgotten: true)
        }
        let queue = SendLines.Queue(
            kind: destination.kind, line: provider.line(of: address.address),
            credential: provider.credential(of: address.address))
        dispatcher.append(SendLines.Ticket(owner: number, destination: destination, user: user, queue: queue))
    }

    // MARK: Commits

    private func commitAgainAndAgain(_ session: any LogStateSession) async throws {
        while true {
            let hasRows = try await bell.wait(for: .changed) { () -> Bool? in
                if self.state.withLock({ $0.hasChanges }) { return true }
                return self.ahead.withLock({ $0 > 0 }) ? false : nil
            }
            if !hasRows {
                _ = try? await Time.race(within: Self.idlePause) {
                    try await self.bell.wait(for: .changed) { self.state.withLock { $0.hasChanges } }
                }
            }
            _ = try? await Time.race(within: parts.settings.commitPause) {
                try await self.bell.wait(for: .full) {
                    self.state.withLock { $0.settledCount } >= self.parts.settings.commitCount
                        || self.ahead.withLock { $0 > Self.readAheadMax }
                }
            }
            try Task.checkCancellation()
            // A commit that is cancelled may be made or not: it is not, while there is time.
            let work = Task { try await self.commit(session) }
            try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                Task {
                    try? await Time.sleep(for: Self.endMax)
                    work.cancel()
                }
            }
        }
    }

    private func commit(_ session: any LogStateSession) async throws {
        let (changes, offset, read) = state.withLock { state in
            (state.takeChanges(), state.position.offset, ahead.withLock { $0 })
        }
        KillPoint.reach(.pushCommitting)
        do {
            try await session.commit(
                changes, offset: offset, at: LogTimestamp(milliseconds: dispatcher.clock.now.milliseconds))
        } catch {
            isCommitDead.withLock { $0 = true }
            throw error
        }
        KillPoint.reach(.pushCommitted)
        state.withLock { $0.committed() }
        ahead.withLock { $0 -= read }
        bell.ring(.committed)
    }

    // MARK: Numbers

    /// A scrape asks for several gauges, and each would walk over all pushes that wait.
    private func rows() -> [PushSenderMetrics.Row] {
        lastRows.withLock { last in
            if let last, last.time.duration(to: Time.now) < .milliseconds(100) { return last.rows }
            let rows = countedRows()
            last = (Time.now, rows)
            return rows
        }
    }

    private func countedRows() -> [PushSenderMetrics.Row] {
        let now = dispatcher.clock.now
        var rows = state.withLock { $0.summary }.map { kind, summary in
            PushSenderMetrics.Row(
                kind: kind, waiting: summary.waiting, inFlight: summary.inFlight,
                ageSeconds: summary.oldest.map { Double(now.milliseconds - $0.milliseconds) / 1000 } ?? 0)
        }
        for (kind, open) in dispatcher.openCount where partition.partition == 0 {
            rows.append(
                PushSenderMetrics.Row(kind: kind, openLines: open.lines, stoppedCredentials: open.credentials))
        }
        return rows
    }

    private func reportLoss(from committed: Int64?, to start: Int64) {
        PushSenderMetrics.lost.increment()
        Log.error(
            "sender.retention.lost", ["partition": "\(partition)", "committed": committed ?? -1, "start": start])
    }
}
