import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordService
import RecordStore
import Synchronization
import TestSupport

/// The stores of a history whose record-services are to run.
struct RunningStores: Sendable {
    /// Two stores that gave the same sequences up to one, and may both give the next ones.
    struct Pair: Sendable {
        var first: SimulatedStore
        var copy: SimulatedStore
        /// The last sequence in the copy when it was made.
        var fork: CommitSequence
        /// True if no record-service ran while the copy was made.
        var isStopped: Bool
        /// The calls of the log that had failed by then.
        var faults: Int
    }

    /// The pair, once one of the two has ended for good.
    struct Ended: Sendable {
        var pair: Pair
        /// The one that ended.
        var loser: SimulatedStore
        /// True if both had published after the copy, and no fault of the log and no death of a process explains it.
        var isUnexplained: Bool
        /// The last sequence before the first repair of the other one; nil without a repair.
        var repaired: CommitSequence?
    }

    var main: SimulatedStore
    /// The first store and its copy, while both run.
    var pair: Pair?
    var ended: Ended?
    /// Indicates whether a record-service was killed, or came back, since the copy was made.
    var hasDeaths = false

    init(main: SimulatedStore) { self.main = main }

    var running: [SimulatedStore] { pair.map { [$0.first, $0.copy] } ?? [main] }
}

/// A second record-service, on a copy of the store. Decision 0044 promises: of two that run, one is refused at least. Both
/// may have published in the moment before. Then changes that have one name may be lost.
extension World {
    /// The record services of a store that are alive.
    func services(of store: SimulatedStore) -> [SimulatedProcess] {
        processes.withLock { $0.filter { $0.role == .recordService && $0.store === store } }
    }

    /// Returns true if a store's record service is to run.
    func isRunning(_ store: SimulatedStore) -> Bool { stores.withLock { $0.running.contains { $0 === store } } }

    /// Returns true if a store's record service saves nothing, as store and log do not belong together.
    private func isRefused(_ store: SimulatedStore) -> Bool {
        let services = services(of: store)
        return !services.isEmpty && services.allSatisfy { $0.service?.refusal != nil }
    }

    /// Copies the store, and begins a record-service on the copy.
    /// - Parameter isStopped: true for a copy at rest, upon which both begin at once.
    func copyService(isStopped: Bool) {
        let first = store
        if isStopped { kill { $0.role == .recordService } }
        do {
            let copy = try first.duplicate()
            let pair = RunningStores.Pair(
                first: first, copy: copy, fork: try copy.read { try $0.settledSequence() }, isStopped: isStopped,
                faults: log.plan.met)
            stores.withLock {
                $0.pair = pair
                $0.hasDeaths = false
            }
        } catch {
            failures.withLock { $0.append("the store cannot be copied: \(error)") }
        }
        startMissing()
    }

    /// Stops one of the two record-services for good, once one of them is refused.
    /// - Parameter choice: even stops the one that is refused.
    func stopService(_ choice: UInt64) async {
        guard let pair = stores.withLock({ $0.pair }) else { return }
        await Scheduler.shared.pass(.seconds(60))
        var refused: SimulatedStore?
        for _ in 0..<6000 {
            refused = [pair.first, pair.copy].first(where: isRefused)
            if refused != nil { break }
            await Scheduler.shared.pass(.milliseconds(100))
        }
        if refused == nil { failures.withLock { $0.append("both record-services with copies of one store go on") } }
        let other = refused === pair.first ? pair.copy : pair.first
        let (loser, winner) = choice % 2 == 0 ? (refused ?? pair.copy, other) : (other, refused ?? pair.copy)
        let isDoubled =
            !published(of: loser, after: pair.fork, beside: winner).isEmpty
            && !published(of: winner, after: pair.fork, beside: loser).isEmpty
        let isCalm = pair.isStopped && pair.faults == log.plan.met
        stores.withLock { stores in
            let isUnexplained = isDoubled && isCalm && !stores.hasDeaths
            stores.main = winner
            stores.pair = nil
            stores.ended = RunningStores.Ended(pair: pair, loser: loser, isUnexplained: isUnexplained)
        }
        kill { $0.role == .recordService && $0.store === loser }
        Trace.add("the store that ended leaves \(lostRows.published) rows in the log, and loses \(lostRows.count)")
        await repairCopied()
    }

    /// Repairs, as an operator does, if the record-service that goes on is refused.
    func repairCopied() async {
        guard stores.withLock({ $0.ended != nil }), isRefused(store) else { return }
        stopAll()
        let last = try? store.read { try $0.settledSequence() }
        stores.withLock { stores in
            guard stores.ended != nil else { return }
            stores.ended!.repaired = stores.ended!.repaired ?? last
        }
        losses.withLock { $0.append(.olderStore) }
        if await !SimulatedRepair(self).run() { failures.withLock { $0.append("the repair does not end") } }
        startMissing()
    }

    /// Indicates whether there was ever a copy of the store with a record-service.
    var hasCopiedStore: Bool { stores.withLock { $0.pair != nil || $0.ended != nil } }

    /// Ends a pair that the script has not ended, and repairs.
    func endCopied() async {
        await stopService(0)
        await Scheduler.shared.pass(.seconds(60))
        await repairCopied()
    }

    /// Indicates whether the log has rows of the store that ended, and the other one was not refused: one of the two was,
    /// and more is not promised.
    var isTorn: Bool {
        guard let ended = stores.withLock({ $0.ended }), ended.repaired == nil else { return false }
        return lostRows.published > 0
    }

    /// The faults that show whatever became of the rest.
    var copyFailures: [String] {
        guard stores.withLock({ $0.ended?.isUnexplained == true }) else { return [] }
        return ["two record-services that began at once on copies of one store have both published"]
    }

    /// The sequences that both stores may have given to changes, one of which readers drop.
    var unsure: Range<Int64>? {
        guard let ended = stores.withLock({ $0.ended }), let last = ended.repaired, lostRows.published > 0 else {
            return nil
        }
        return ended.pair.fork.rawValue + 1..<max(last, ended.pair.fork).rawValue + 1
    }

    /// The rows of the store that ended, up to the copy or in the log; the number of those after the copy; the number of
    /// all others, which are lost.
    var lostRows: (rows: [OutboxRow], published: Int, count: Int) {
        guard let ended = stores.withLock({ $0.ended }) else { return ([], 0, 0) }
        let before = ended.loser.committed.filter { $0.sequence <= ended.pair.fork }
        let published = published(of: ended.loser, after: ended.pair.fork, beside: store)
        return (before + published, published.count, ended.loser.committed.count - before.count - published.count)
    }

    /// The rows after a sequence that a store alone has, and the log.
    private func published(
        of store: SimulatedStore, after fork: CommitSequence, beside other: SimulatedStore
    ) -> [OutboxRow] {
        let topics = changes + [layout.subscriptions, layout.deliveries, layout.pushAddresses]
        let entries = log.contents.withLock { contents in
            Set(
                topics.flatMap { topic in
                    (contents.topics[topic]?.partitions ?? []).flatMap(\.entries)
                        .map { Entry($0, isChange: changes.contains(topic)) }
                })
        }.subtracting(other.committed.map { Entry($0) })
        return store.committed.filter { $0.sequence > fork && entries.contains(Entry($0)) }
    }

    /// An entry as its row has it.
    private struct Entry: Hashable {
        var sequence: String
        var key: [UInt8]?
        var value: [UInt8]?

        init(_ row: OutboxRow) {
            sequence = "\(row.sequence)"
            key = row.key
            value = row.value
        }

        init(_ entry: LogEntry, isChange: Bool) {
            let header = entry.headers.first { $0.name == "fanfare-sequence" }
            sequence = header.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
            key = entry.key
            value = entry.value
            // The relay names the event that a change waits for.
            if isChange, let value, var change = try? ChangeEvent(decoding: value) {
                change.lastSubscription = 0
                self.value = change.encoded()
            }
        }
    }
}
