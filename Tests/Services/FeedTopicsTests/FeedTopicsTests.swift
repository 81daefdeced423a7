import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import FeedTopics

/// Each device's topic has all retained entries of the user's journal that concern the device, in its order, once.
@Suite struct FeedTopicsTests {
    private static let layout = JournalPlayer.layout

    @Test("a device has the history from before its registration, then new entries, each after the entry it names")
    func historyAndNews() async throws {
        let player = try await JournalPlayer()
        let phone = try await player.register("phone", of: "a")
        try await player.notify("a", badges: [DeviceBadge(device: "phone", epoch: phone.epoch, badge: 7)])
        try await player.notify("a", by: phone)
        try await player.notify("b")
        let stage = player.start()
        try await player.untilCopied()
        let laptop = try await player.register("laptop", of: "a")
        try await player.markRead("a", by: laptop)
        try await player.setBadge("a")
        try await player.notify("a")
        try await player.untilCopied()
        stage.cancel()
        await stage.value

        let topics = try await player.topics()
        for entries in topics.values {
            #expect(entries.map(\.predecessor) == [nil] + entries.dropLast().map(\.source))
        }
        let first = try #require(topics[phone.topic]?.dropFirst().first)
        guard case .query(let query)? = first.entry else {
            Issue.record("\(first)")
            return
        }
        #expect(query.badge == 7 && query.badges.isEmpty)
        // The own change is the laptop's to read, and its registration stands between history and news.
        let kinds = topics[laptop.topic]?.map { entry in
            switch entry.entry {
            case .query: "query"
            case .registered: "registered"
            default: "other"
            }
        }
        #expect(kinds == ["query", "query", "registered", "query"])
    }

    @Test("topics of removed devices, earlier epochs and removed users are deleted")
    func endings() async throws {
        let player = try await JournalPlayer()
        let stage = player.start()
        for (device, user) in [("phone", "a"), ("pad", "a"), ("tv", "b")] {
            _ = try await player.register(device, of: user)
        }
        try await player.notify("a")
        try await player.untilCopied()
        _ = try await player.register("phone", of: "a")
        try await player.unregister(player.lives.first { $0.device == "pad" }!)
        try await player.remove("b")
        try await player.untilCopied()
        #expect(try await player.topics().count == 1)
        stage.cancel()
        await stage.value
    }

    @Test("a topic that was deleted is made again with the whole history, and its siblings go on")
    func deletedByHand() async throws {
        let player = try await JournalPlayer()
        let stage = player.start()
        let phone = try await player.register("phone", of: "a")
        _ = try await player.register("pad", of: "a")
        for _ in 0..<3 { try await player.notify("a") }
        try await player.untilCopied()
        _ = try await player.memory.deleteTopics([phone.topic])
        try await player.notify("a")
        try await player.untilCopied()
        stage.cancel()
        await stage.value
    }

    @Test("a topic whose deletion ends the writer is made again with the whole history")
    func deletedDuringWrite() async throws {
        let player = try await JournalPlayer()
        let memory = player.memory
        let topic = Self.layout.feed(DeviceID(trusted: "phone"), DeviceEpoch(1))
        let isDue = Atomic(false)
        let log = InterceptedLog(
            memory,
            appending: { entries in
                guard entries.contains(where: { $0.partition.topic == topic }),
                    isDue.exchange(false, ordering: .relaxed)
                else { return }
                _ = try await memory.deleteTopics([topic])
                throw LogError.writeFailed("the topic is gone")
            })
        let stage = player.start(on: log)
        for device in ["phone", "pad"] { _ = try await player.register(device, of: "a") }
        for _ in 0..<3 { try await player.notify("a") }
        try await player.untilCopied()
        isDue.store(true, ordering: .relaxed)
        try await player.notify("a")
        try await player.untilCopied()
        let isDone = !isDue.load(ordering: .relaxed)
        #expect(isDone)
        stage.cancel()
        await stage.value
    }

    @Test("a topic that the log does not make holds up no other device, and is tried again after a minute")
    func refusedTopic() async throws {
        let player = try await JournalPlayer()
        let refused = Self.layout.feed(DeviceID(trusted: "phone"), DeviceEpoch(1))
        let refuses = Atomic(true)
        let log = InterceptedLog(
            player.memory,
            refuses: {
                $0 == refused && refuses.load(ordering: .relaxed) ? .broken("the policy forbids it") : nil
            })
        let time = ManualTime()
        let stage = await time.bound { player.start(on: log) }
        let phone = try await player.register("phone", of: "a")
        let pad = try await player.register("pad", of: "a")
        try await player.notify("a")
        try await eventually("the other device") { try await player.topics()[pad.topic]?.count == 2 }
        #expect(try await player.topics()[phone.topic] == nil)
        refuses.store(false, ordering: .relaxed)
        // A second is a look: the first minute of them makes nothing.
        for _ in 0..<30 { time.advance(by: .seconds(1)) }
        #expect(try await player.topics()[phone.topic] == nil)
        try await eventually("the refused device") {
            time.advance(by: .seconds(61))
            return try await player.topics()[phone.topic]?.count == 2
        }
        stage.cancel()
        await stage.value
    }

    @Test("an entry that cannot be read is set aside, also where it is from before the registration")
    func garbage() async throws {
        let player = try await JournalPlayer()
        let ledger = PoisonLedger(
            log: player.memory, layout: Self.layout, marks: nil, now: { Timestamp(milliseconds: 1) })
        let following = Task { await ledger.run() }
        let stage = player.start(poison: ledger)
        _ = try await player.register("phone", of: "a")
        try await player.writeGarbage(of: "a")
        try await player.notify("a")
        try await player.untilCopied()
        // The pass for it reads the bytes once more.
        _ = try await player.register("pad", of: "a")
        try await player.untilCopied()
        let aside = try await PoisonLedger.table(on: player.memory, Self.layout).setAside.map(\.place)
        #expect(aside.map(\.stage) == [.feeds] && aside.map(\.topic) == ["journals"] && aside.map(\.offset) == [1])
        for task in [stage, following] {
            task.cancel()
            await task.value
        }
    }

    // MARK: Beginnings

    @Test("devices whose registration is not retained any more have topics of the rest, in place of foreign ones")
    func oldDevices() async throws {
        let player = try await JournalPlayer()
        let phone = try await player.register("phone", of: "a")
        try await player.storeDevices(of: "a")
        for _ in 0..<4 { try await player.notify("a") }
        let journal = player.place("a")
        try await player.memory.truncate([journal: 3])
        // A topic of its name that another version made.
        _ = try await player.memory.createTopics([
            Self.layout.feedSpecification(DeviceID(trusted: "phone"), DeviceEpoch(phone.epoch))
        ])
        try await writeForeign(to: phone.topic, player)
        let stage = player.start()
        let wanted = try #require(await player.expected[phone.topic]).suffix(2)
        try await eventually("the topic") {
            try await player.topics()[phone.topic]?.map { $0.source! } == Array(wanted)
        }
        #expect(try await player.topics()[phone.topic]?.first?.predecessor == nil)
        stage.cancel()
        await stage.value
    }

    /// Writes an entry that the stage did not make.
    private func writeForeign(to topic: TopicName, _ player: JournalPlayer) async throws {
        let foreign = FeedEntry(
            source: SourcePositionMessage(
                SourcePosition(source: SourceID(origin: "x", incarnation: 1, partition: 0), offset: 1)), user: "a")
        try await player.memory.makeWriter().append([
            OutgoingEntry(
                TopicPartition(topic), key: nil, value: foreign.encoded(), timestamp: .init(milliseconds: 1))
        ])
    }

    @Test("topics are made again where retention has taken entries that they lack, or the state was lost")
    func overtaken() async throws {
        let player = try await JournalPlayer()
        let first = player.start()
        let phone = try await player.register("phone", of: "a")
        try await player.notify("a")
        try await player.untilCopied()
        first.cancel()
        await first.value
        for _ in 0..<4 { try await player.notify("a") }
        try await player.storeDevices(of: "a")
        try await player.memory.truncate([player.place("a"): 4])
        let wanted = try #require(await player.expected[phone.topic]).suffix(2)
        for isLost in [false, true] {
            if isLost {
                _ = try await player.memory.deleteTopics([Self.layout.feedState])
                _ = try await player.memory.createTopics(Self.layout.fixedTopics)
            }
            // Only a topic that is made again is without it.
            try await writeForeign(to: phone.topic, player)
            let stage = player.start()
            try await eventually("the topic, state lost: \(isLost)") {
                try await player.topics()[phone.topic]?.map { $0.source! } == Array(wanted)
            }
            stage.cancel()
            await stage.value
        }
    }

    @Test("no failure of any call loses, doubles or disorders an entry", arguments: TestSeeds.several(24))
    func failures(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let player = try await JournalPlayer()
        let failing = Set((0..<6).map { _ in Int.random(in: 1...40, using: &random) })
        let seen = Atomic(0)
        let journals = Self.layout.journals
        let sizes = Sizes(seed: seed)
        let small = InterceptedLog(
            player.memory,
            follow: { $0.topic == journals ? SplitFollower($1, size: sizes.next) : $1 })
        let log = FailingLog(small) { call in
            guard failing.contains(call) else { return nil }
            return switch seen.add(1, ordering: .relaxed).newValue % 3 {
            case 0: .before
            case 1: .partWay(1)
            default: .after
            }
        }
        let startsLate = Bool.random(using: &random)
        var stage = startsLate ? nil : player.start(on: log)
        for step in 0..<60 {
            try await play(player, &random)
            if step == 30, stage == nil { stage = player.start(on: log) }
            if Int.random(in: 0..<20, using: &random) == 0 {
                stage?.cancel()
                await stage?.value
                stage = player.start(on: log)
            }
        }
        // A topic that is gone is met by the next entry for it.
        for user in ["a", "b", "c", "d"] { try await player.notify(user) }
        try await player.untilCopied()
        for entries in try await player.topics().values {
            #expect(entries.map(\.predecessor) == [nil] + entries.dropLast().map(\.source), "seed \(seed)")
        }
        stage?.cancel()
        await stage?.value
    }

    private func play(_ player: JournalPlayer, _ random: inout SeededGenerator) async throws {
        let user = ["a", "b", "c", "d"].randomElement(using: &random)!
        let devices = await player.lives.filter { $0.user == user }.sorted { $0.device < $1.device }
        let device = devices.randomElement(using: &random)
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<4: _ = try await player.register("\(user)\(Int.random(in: 0..<3, using: &random))", of: user)
        case 4: if let device { try await player.unregister(device) }
        case 5: try await player.markRead(user, by: device)
        case 6: try await player.setBadge(user)
        case 7: try await player.repeatLast(of: user)
        case 8: if let device { _ = try await player.memory.deleteTopics([device.topic]) }
        case 9: if Int.random(in: 0..<4, using: &random) == 0 { await player.beginSource() }
        case 10..<13: try await player.notify(user, by: device)
        default: try await player.notify(user)
        }
    }
}

/// Numbers of entries, one to three.
private final class Sizes: Sendable {
    private let random: Mutex<SeededGenerator>

    init(seed: UInt64) { random = Mutex(SeededGenerator(seed: seed)) }

    @Sendable func next() -> Int { random.withLock { Int.random(in: 1...3, using: &$0) } }
}
