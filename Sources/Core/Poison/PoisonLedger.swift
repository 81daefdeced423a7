package import CloudMessages
package import CloudModel
package import CrashMarks
package import EventLog
import ProtocolBuffers
import Stages
import Synchronization
import Telemetry
import Waiting

/// Knows the entries that are set aside, and sees to it that one at which processes die is (`DESIGN.md`).
///
/// One for each container's environment in a process; its stages share it. `run()` has to run beside them.
package final class PoisonLedger: Sendable {
    static let setAside = Gauge(
        "fanfare_poison_entries", "Entries that are set aside: 'fanfare poison list' names them.")
    static let deaths = Counter(
        "fanfare_poison_deaths_total",
        "Entries that a process which died had been working on, as was found at the start.")
    static let passedBy = Counter(
        "fanfare_poison_passed_by_total", "Entries that were passed by as they are set aside.")

    private struct State {
        var table = PoisonTable()
        var readTo: Int64 = -1
        var watches: [String: PoisonWatch] = [:]
        var isReported = false
    }

    private let log: any EventLog
    /// The topics whose entries it knows.
    package let layout: TopicLayout
    private let marks: CrashMarks?
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())
    private let bell = Bell<Int>()
    private let suspects = Suspects()
    private let setAsideShare = GaugeShare(of: PoisonLedger.setAside)

    /// - Parameters:
    ///   - marks: where stages note what they work on; nil notes nothing, so that deaths are not counted.
    ///   - now: the time of events, for people.
    package init(
        log: any EventLog, layout: TopicLayout, marks: CrashMarks?, now: @escaping @Sendable () -> Timestamp
    ) {
        self.log = log
        self.layout = layout
        self.marks = marks
        self.now = now
    }

    /// Stores what those who died left behind, then follows the topic until the task is cancelled.
    package func run() async {
        // There from the start, at 0, so that a first increase shows.
        _ = (Self.setAside, Self.deaths, Self.passedBy)
        await persistently(failed: { error, pause in
            Log.warning("poison.failed", ["scope": "\(layout.scope)", "error": "\(error)", "pause": "\(pause)"])
        }) {
            try await report()
            try await follow()
        }
    }

    /// Waits until the whole ledger was read: an entry that is met before might have to be skipped.
    package func waitUntilReady() async throws {
        try await wait { $0.isReported }
        let partition = TopicPartition(layout.poison)
        let end = try await log.bounds(of: [partition])[partition]?.end ?? 0
        try await wait { $0.readTo >= end }
    }

    /// Returns the watch that a stage asks before it works on an entry of a partition.
    package func watch(_ stage: PoisonPlace.Stage, _ partition: TopicPartition, incarnation: UInt64) -> PoisonWatch {
        let place = PoisonPlace(
            stage: stage, topic: layout.shortName(partition.topic), incarnation: incarnation,
            partition: partition.partition, offset: 0)
        return state.withLock { state in
            if let known = state.watches[place.name] { return known }
            let watch = PoisonWatch(
                suspects: suspects, slot: marks?.slot(for: Self.scoped(place.name, layout)),
                blame: [.table, .push].contains(stage) ? marks?.slot(for: Self.scoped(place.name, layout)) : nil)
            for (known, item) in state.table.items where known.name == place.name { watch.learn(known.offset, item) }
            state.watches[place.name] = watch
            return watch
        }
    }

    /// Notes that an entry cannot be read. For operators only: every reader of it finds the same.
    package func noteUnreadable(_ place: PoisonPlace, _ reason: String) async throws {
        guard state.withLock({ $0.table.items[place]?.unreadable == nil }) else { return }
        try await log.withWriter {
            try await $0.append([outgoing(PoisonEvent(place, .unreadable, reason: reason), "")])
        }
    }

    // MARK: Deaths

    private static func scoped(_ name: String, _ layout: TopicLayout) -> String { "\(layout.scope)|\(name)" }

    /// The entries in work when processes crashed, in this container's environment. An entry that was worked on alone
    /// is to blame: the others were bystanders.
    static func blamed(_ left: [CrashMarks.Left], _ layout: TopicLayout) -> [PoisonPlace] {
        let alone = left.filter(\.isAlone)
        return (alone.isEmpty ? left : alone).compactMap { mark in
            let parts = mark.place.split(separator: "|", maxSplits: 1)
            guard parts.count == 2, parts[0] == "\(layout.scope)" else { return nil }
            return PoisonPlace(name: parts[1], offset: mark.item)
        }
    }

    /// Stores deaths for good, before anything is worked on.
    private func report() async throws {
        if state.withLock({ $0.isReported }) { return }
        let blamed = Self.blamed(marks?.left ?? [], layout)
        if !blamed.isEmpty {
            let events = blamed.map { outgoing(PoisonEvent($0, .died), "\(UInt64.random(in: 0 ... .max))") }
            try await log.withWriter { try await $0.append(events) }
            Self.deaths.increment(by: blamed.count)
            for place in blamed { Log.warning("poison.died", ["scope": "\(layout.scope)", "entry": "\(place)"]) }
        }
        state.withLock { $0.isReported = true }
        bell.ring(0)
    }

    /// Waits until what the dead left behind has been stored.
    func waitUntilReported() async throws { try await wait { $0.isReported } }

    private func outgoing(_ event: PoisonEvent, _ name: String) -> OutgoingEntry {
        OutgoingEntry(
            TopicPartition(layout.poison), key: event.key(name), value: event.encoded(), timestamp: LogTimestamp(now()))
    }

    // MARK: The table

    private func follow() async throws {
        let partition = TopicPartition(layout.poison)
        let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        state.withLock { $0.readTo = max($0.readTo, start) }
        bell.ring(0)
        let follower = try await log.follow(partition, from: start)
        defer { follower.close() }
        while true {
            let batch = try await follower.next()
            for entry in batch.entries { apply(entry) }
            state.withLock { $0.readTo = max($0.readTo, batch.nextOffset) }
            bell.ring(0)
        }
    }

    private func apply(_ entry: LogEntry) {
        guard let key = entry.key, let value = entry.value, let event = try? PoisonEvent(decoding: value) else {
            return
        }
        let news = state.withLock { state -> (PoisonPlace, PoisonTable.Item)? in
            guard let place = state.table.apply(key: key, event, at: Timestamp(entry.timestamp)),
                let item = state.table.items[place]
            else { return nil }
            state.watches[place.name]?.learn(place.offset, item)
            setAsideShare.set(state.table.items.values.count { $0.isSetAside && $0.retried == nil })
            return (place, item)
        }
        guard let (place, item) = news, item.isSetAside, item.retried == nil else { return }
        Log.error(
            "poison.set-aside",
            [
                "scope": "\(layout.scope)", "entry": "\(place)", "deaths": item.deaths,
                "reason": item.unreadable ?? "a process died at it each time",
            ])
    }

    private func wait(until condition: @Sendable (borrowing State) -> Bool) async throws {
        try await bell.wait(for: 0) { state.withLock { condition($0) } }
    }
}

extension CrashMarks {
    /// Removes the files of the dead once all ledgers have stored what they say.
    package func forgetLeft(after ledgers: [PoisonLedger]) async {
        do {
            for ledger in ledgers { try await ledger.waitUntilReported() }
            forgetLeft()
        } catch {
            // Interrupted: the next process finds the files.
        }
    }
}
