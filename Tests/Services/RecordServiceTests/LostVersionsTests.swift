import CloudMessages
import CloudModel
import Continuity
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// A repair after the loss of the log publishes versions of subscriptions under their former sequences. A stage reads
/// `subscriptions` apart from changes: whenever it takes a change for ready, it must have all versions before it.
@Suite struct LostVersionsTests {
    /// Few, so that the waiting rows are more than one reading of the outbox.
    private static let rowsMax = 3

    // MARK: The choice

    private static let key = SubscriptionKey(
        user: UserRecordName.sample("a"), database: .public, id: SubscriptionID(trusted: "s"))

    /// A row of a version.
    private static func row(_ sequence: Int64, of own: Int64, isRemoval: Bool = false) -> OutboxRow {
        OutboxRow(
            sequence: CommitSequence(sequence), destination: .subscriptions,
            key: RecordServiceRig.layout.subscriptionKey(key, CommitSequence(own)), value: isRemoval ? nil : [1],
            time: Timestamp(milliseconds: 0))
    }

    @Test("versions that are older than all rows go out ahead, in the order of their own sequences, each once")
    func choice() {
        var lost = LostVersions()
        lost.add([Self.row(10, of: 10), Self.row(11, of: 2, isRemoval: true)])
        lost.add([Self.row(12, of: 7), Self.row(13, of: 3), Self.row(14, of: 10), Self.row(15, of: 7)])
        #expect(lost.first == CommitSequence(10) && lost.last == CommitSequence(15))
        #expect(lost.places.map(\.own) == [3, 7].map(CommitSequence.init))
        #expect(lost.places.map(\.row) == [13, 15].map(CommitSequence.init))
        #expect(lost.contains(Self.row(12, of: 7)) && lost.contains(Self.row(15, of: 7)))
        #expect(!lost.contains(Self.row(10, of: 10)) && !lost.contains(Self.row(14, of: 10)))
        // A row that comes after the look is published in its place.
        #expect(!lost.contains(Self.row(16, of: 3)))
        var other = Self.row(12, of: 7)
        other.destination = .deliveries
        #expect(!lost.contains(other))
        #expect(LostVersions().places.isEmpty && !LostVersions().contains(Self.row(0, of: -1)))
    }

    // MARK: The topic

    @Test("after the loss of the log no stage takes a change for ready before it has all versions before the change")
    func noVersionIsMissed() async throws {
        for seed in TestSeeds.several(8) { try await run(seed, cutAt: nil) }
    }

    @Test("the same after a repair that was cut off between its commits and done again", arguments: 1...4)
    func cutOff(commits: Int) async throws {
        for seed in TestSeeds.several(2) { try await run(seed, cutAt: commits) }
    }

    /// - Parameter cut: the commit at which the first repair fails; nil for none.
    private func run(_ seed: UInt64, cutAt cut: Int?) async throws {
        print("seed \(seed)")
        try await within {
            var random = SeededGenerator(seed: seed)
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let lost = try await Relaying.log(layout)
            _ = try await rig.apply(SubscriptionOperation.create(Self.draft("a", 0)))
            for number in 1...25 { try await Self.step(rig, number, &random) }
            try await Relaying.publish(rig, to: lost)
            for number in 26...30 { try await Self.step(rig, number, &random) }
            // Rows that are kept come again; others wait while the log is away.
            if Bool.random(using: &random) { try await Self.publishAndKeep(rig, to: lost) }
            _ = try await rig.apply(.touch("r"))
            for number in 31...45 { try await Self.step(rig, number, &random) }

            var versions = try await Self.versions(rig)
            let log = try await Relaying.log(layout)
            try await Self.repair(rig, log, cutAt: cut)
            for number in 46...55 { try await Self.step(rig, number, &random) }
            let later = try await Self.versions(rig)
            versions.merge(later) { one, _ in one }
            let failure = Bool.random(using: &random) ? Int.random(in: 2...9, using: &random) : nil
            let part = Int.random(in: 0...2, using: &random)
            try await Self.publish(rig, to: FailingLog(log) { $0 == failure ? .partWay(part) : nil })
            try await Self.check(versions, log, layout, "seed \(seed), cut at \(cut ?? 0)")
            guard failure == nil else { return }
            let entries = try await log.follow(TopicPartition(layout.subscriptions), from: 0).entriesToEnd()
            let sequences = entries.compactMap { entry -> Int64? in
                guard let header = entry.headers.first(where: { $0.name == "fanfare-sequence" }) else { return nil }
                return Int64(String(decoding: header.value, as: UTF8.self))
            }
            // Readers may drop entries up to their last sequence.
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
        }
    }

    @Test("where the topic is not empty, later changes wait for what a repair publishes")
    func laterChangesWait() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            _ = try await rig.apply(SubscriptionOperation.create(Self.draft("a", 0)))
            try await Relaying.publish(rig, to: try await Relaying.log(layout))
            let log = try await Relaying.log(layout)
            let reached = ReachedMessage(store: rig.service.store.incarnation, sequence: 50)
            try await log.withWriter {
                try await $0.append([
                    OutgoingEntry(
                        TopicPartition(layout.subscriptions), key: TopicLayout.reachedKey, value: reached.encoded(),
                        timestamp: LogTimestamp(milliseconds: 0))
                ])
            }
            let repair = StoreRepair(rig.service, log: log)
            try await repair.begin(.repair)
            try await repair.skipSequences(through: 50)
            #expect(try await repair.publishSubscriptions() == (1, 0))
            try await repair.keepIdentity()
            _ = try await rig.apply(.touch("r"))
            let versions = try await Self.versions(rig)
            #expect(versions.count == 1)
            try await Self.publish(rig, to: log)
            try await Self.check(versions, log, layout, "a topic that is not empty")
        }
    }

    // MARK: Steps

    private static func draft(_ id: String, _ number: Int) -> SubscriptionDraft {
        .draft(id, type: "T\(id)", info: NotificationInfo(alertBody: "\(number)"))
    }

    /// Changes a record, or saves or deletes a subscription: in another order than their keys sort.
    private static func step(
        _ rig: RecordServiceRig, _ number: Int, _ random: inout SeededGenerator
    ) async throws {
        let id = ["d", "b", "a", "e", "c"].randomElement(using: &random)!
        let caller = Bool.random(using: &random) ? rig.alice : rig.bob
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: _ = try await rig.apply(.touch("r"))
        case 2: _ = try await rig.apply(.touch("p"), in: .private, as: caller)
        case 3: _ = try await rig.apply(SubscriptionOperation.delete(SubscriptionID(trusted: id)), as: caller)
        default: _ = try await rig.apply(SubscriptionOperation.create(draft(id, number)), as: caller)
        }
    }

    /// Repairs halves of which the log was lost.
    private static func repair(_ rig: RecordServiceRig, _ log: MemoryLog, cutAt cut: Int?) async throws {
        let store = FailingStore(rig.service.store)
        let left = Mutex<Int?>(nil)
        // Each commit asks for the time first.
        let service = RecordService(layout: rig.service.layout, store: store, log: log) {
            let isLast = left.withLock { left in
                left = left.map { $0 - 1 }
                return left == 0
            }
            if isLast { store.fail(with: .unavailable("cut off")) }
            return rig.now
        }
        var repair = StoreRepair(service, log: log)
        repair.step = 2
        try await repair.begin(.repair)
        if let cut {
            left.withLock { $0 = cut }
            do { _ = try await repair.publishSubscriptions() } catch is StoreError {}
            left.withLock { $0 = nil }
            store.fail(with: nil)
        }
        _ = try await repair.publishSubscriptions()
        try await repair.keepIdentity()
    }

    /// Publishes the waiting rows, few at a time.
    private static func publish(_ rig: RecordServiceRig, to log: any EventLog) async throws {
        var relay = OutboxRelay(store: rig.service.store, layout: rig.service.layout, log: log)
        relay.rowsMax = rowsMax
        let running = Task { [relay] in await relay.run() }
        try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
        running.cancel()
        await running.value
    }

    /// Publishes the waiting rows, which stay in the outbox.
    private static func publishAndKeep(_ rig: RecordServiceRig, to log: any EventLog) async throws {
        let relay = OutboxRelay(
            store: rig.service.store, layout: rig.service.layout, log: log,
            keeping: OutboxKeeping(time: .seconds(3600)))
        let running = Task { await relay.run() }
        try await eventually("all rows are published") {
            try await rig.service.store.read { reader in
                let last = try reader.outbox(after: .zero, limit: 10_000, bytesMax: .max).last?.sequence ?? .zero
                return try PublishedRows.last(reader) >= last
            }
        }
        running.cancel()
        await running.value
    }

    // MARK: The oracle

    /// The sequences of the versions that the store has, or that wait in its outbox, by the keys of their entries.
    private static func versions(_ rig: RecordServiceRig) async throws -> [[UInt8]: CommitSequence] {
        let stored = try await rig.service.store.read { try $0.subscriptions(after: nil, limit: 1000) }
        var versions: [[UInt8]: CommitSequence] = [:]
        for one in stored { versions[rig.service.layout.subscriptionKey(one.key, one.saved)] = one.saved }
        for row in try await rig.outbox() where row.destination == .subscriptions && row.value != nil {
            guard let own = TopicLayout.sequence(ofSubscriptionKey: row.key), own == row.sequence else { continue }
            versions[row.key] = own
        }
        return versions
    }

    private static func changes(_ log: MemoryLog, _ layout: TopicLayout) async throws -> [Change] {
        var changes: [Change] = []
        for database in DatabaseScope.allCases {
            for number in 0..<layout.partitions {
                let partition = TopicPartition(layout.changes(database), number)
                for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                    let event = try ChangeEvent(decoding: entry.value ?? [])
                    if !event.boundary { changes.append(try event.change()) }
                }
            }
        }
        return changes
    }

    /// Reads `subscriptions` entry by entry, and looks at each change at the first moment at which a stage takes it for
    /// ready: later, the stage has more.
    private static func check(
        _ versions: [[UInt8]: CommitSequence], _ log: MemoryLog, _ layout: TopicLayout, _ note: String
    ) async throws {
        // The first one to be ready is the last one here.
        var waiting = try await changes(log, layout).sorted { $0.lastSubscription > $1.lastSubscription }
        #expect(!waiting.isEmpty, "\(note)")
        var reached = CommitSequence.zero
        var had: Set<[UInt8]> = []
        for entry in try await log.follow(TopicPartition(layout.subscriptions), from: 0).entriesToEnd() {
            guard let key = entry.key else { continue }
            if key == TopicLayout.reachedKey {
                let message = try ReachedMessage(decoding: entry.value ?? [])
                reached = max(reached, CommitSequence(message.sequence))
            } else if let own = TopicLayout.sequence(ofSubscriptionKey: key) {
                reached = max(reached, own)
                had.insert(key)
            }
            while let change = waiting.last, change.lastSubscription <= reached {
                waiting.removeLast()
                let missed = versions.filter { $0.value <= change.lastSubscription && !had.contains($0.key) }
                #expect(
                    missed.isEmpty,
                    "\(note): change \(change.sequence) is ready without \(missed.values.sorted())")
            }
        }
        #expect(waiting.isEmpty, "\(note): changes wait forever")
    }
}
