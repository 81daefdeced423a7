import CloudMessages
import CloudModel
import EventLog
import Foundation
import JSON
import KafkaLog
import MemoryLog
import RecordService
import RecordStore
import SQLite
import SQLiteLog
import TestSupport
import Testing

@testable import Inspection

/// The ways of random notifications against all that the topics have.
@Suite struct WayTruthTests {
    /// The logs of the test.
    enum Log: String, CaseIterable {
        case embedded, kafka

        /// Kafka on request (FANFARE_WAYS=all) alone.
        static let available = allCases.filter { log in
            let isRequested = ProcessInfo.processInfo.environment["FANFARE_WAYS"] == "all"
            return log != .kafka || isRequested && RealKafka.isAvailable
        }

        /// Requests that save records, and notifications whose ways are compared.
        var size: (requests: Int, ways: Int) { (180, 1000) }

        func open(_ folder: TemporaryFolder) throws -> any EventLog {
            switch self {
            case .embedded: try SQLiteLog(SQLiteConfiguration(path: folder.path("log.sqlite")))
            case .kafka:
                try KafkaLog(KafkaLogConfiguration(bootstrapServers: RealKafka.bootstrapServers()))
            }
        }
    }

    @Test("the ways of random notifications agree with the topics, offset for offset", arguments: Log.available)
    func truth(kind: Log) async throws {
        let seed = TestSeeds.first
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let folder = TemporaryFolder()
        let log = try kind.open(folder)
        // Each way has a guard of its own: a busy machine takes its time for a thousand of them.
        let world = try await within("the world") {
            var world = try await WayWorld(log, seed: seed)
            try await world.live(kind.size.requests)
            return world
        }
        let oracle = try await within("the oracle") { try await WayOracle(world.log, world.system.layout) }
        let chosen = oracle.notifications.shuffled(using: &random).prefix(kind.size.ways)
        #expect(chosen.count == kind.size.ways, "\(oracle.notifications.count)")
        var waited = 0
        for one in chosen {
            let question = WayFinder.Question(
                change: CommitSequence(one.change), user: UserRecordName(trusted: one.user),
                subscription: SubscriptionID(trusted: one.subscription))
            let found = try await within("a way") { try await world.finder.way(question) }
            let way = try #require(found, "seed \(seed), \(one)")
            Self.compare(way, one, oracle, world.devices, "seed \(seed)")
            let times = way.steps.filter { [.outbox, .matched, .journal].contains($0.kind) }.compactMap(\.time)
            if Set(times).count > 1 { waited += 1 }
        }
        // Each log has times of appends. Some ways take no millisecond.
        #expect(waited > 0, "seed \(seed)")
        await world.system.stop()
    }

    @Test("the ways of a backfill agree with the topics, with and without the subscription's creation")
    func backfill() async throws {
        try await within {
            var world = try await WayWorld(MemoryLog(), seed: 7)
            try await world.live(40)
            try await world.subscribe("late", world.bob, from: .time(Timestamp(milliseconds: 0)))
            let (log, layout) = (world.log, world.system.layout)
            let saved = try await WayOracle(log, layout).changes.values.filter { $0.place.topic == "changes.public" }
            try await eventually("the backfill") {
                try await WayOracle(log, layout).notifications.count(where: \.isBackfilled) >= saved.count
            }
            let oracle = try await WayOracle(log, layout)
            let key = SubscriptionKey(
                user: try #require(world.bob.user), database: .public, id: SubscriptionID(trusted: "late"))
            let stored = try await world.system.service.store.read { try $0.subscription(key) }
            let created = try #require(stored).created
            for one in oracle.notifications where one.isBackfilled {
                for creation in [created, nil] {
                    let question = WayFinder.Question(
                        change: CommitSequence(one.change), user: UserRecordName(trusted: one.user),
                        subscription: SubscriptionID(trusted: one.subscription), created: creation)
                    let way = try #require(try await world.finder.way(question), "\(one)")
                    #expect(way.isBackfilled)
                    Self.compare(way, one, oracle, [], "backfill")
                }
            }
            await world.system.stop()
        }
    }

    @Test("a change that a digest stands for has the way to the digest, from a hit of its own")
    func covered() async throws {
        try await within {
            let world = try await AuditedSystem.digesting(7)
            let oracle = try await WayOracle(world.log, world.system.layout)
            let digests = oracle.notifications.filter { $0.subscription == "digest" }
            #expect(digests.count == 2 && oracle.changes.count == 7)
            let finder = WayFinder(world.evidence(on: world.log))
            for (change, known) in oracle.changes {
                let question = WayFinder.Question(
                    change: CommitSequence(change), user: try #require(world.alice.user),
                    subscription: SubscriptionID(trusted: "digest"))
                let way = try #require(try await finder.way(question))
                func step(_ kind: NotificationWay.Step.Kind) -> NotificationWay.Step? {
                    way.steps.first { $0.kind == kind }
                }
                let hit = step(.matched)?.place
                #expect(hit.flatMap { oracle.deliveries[$0.partition]?[$0.offset] }?.change == change, "\(way.lines)")
                #expect(step(.outbox)?.place?.offset == known.place.offset, "\(way.lines)")
                let digest = digests.filter { $0.change >= change }.min { $0.change < $1.change }
                #expect(step(.journal)?.place?.offset == digest?.place.offset, "\(way.lines)")
                let isNamed = step(.journal)?.text.contains(digest == nil ? "policy holds it" : "for 3 changes") == true
                #expect(isNamed, "\(way.lines)")
            }
            await world.stop()
        }
    }

    /// Compares each step with what the topics have.
    private static func compare(
        _ way: NotificationWay, _ one: WayOracle.Notification, _ oracle: WayOracle, _ devices: [Device],
        _ context: String
    ) {
        let steps = JSONValue.object(way.json)["steps"]?.array ?? []
        func step(_ kind: String, of device: String? = nil) -> JSONValue? {
            steps.first { $0["step"]?.string == kind && (device == nil || $0["deviceID"]?.string == device) }
        }
        func place(_ step: JSONValue?) -> WayOracle.Place? {
            guard let topic = step?["topic"]?.string, let partition = step?["partition"]?.integer,
                let offset = step?["offset"]?.integer, let time = step?["time"]?.integer
            else { return nil }
            return WayOracle.Place(topic: topic, partition: Int32(partition), offset: offset, time: time)
        }
        let text = "\(context), \(one): \(way.lines)"
        let change = oracle.changes[one.change]
        #expect(way.subscription?.rawValue == one.subscription && way.isBackfilled == one.isBackfilled, "\(text)")
        #expect(step("commit")?["time"]?.integer == change?.committed, "\(text)")
        #expect(step("commit")?["userRecordName"]?.string == change?.user, "\(text)")
        #expect(step("commit")?["deviceID"]?.string == change?.device, "\(text)")
        #expect(place(step("outbox")) == change?.place && change != nil, "\(text)")
        let hit = oracle.deliveries[one.name.source.partition]?[one.name.offset]
        #expect(place(step("matched")) == hit?.place && hit?.change == one.change, "\(text)")
        #expect(place(step("journal")) == one.place, "\(text)")
        let mark = oracle.marks[one.user]?[one.change]
        #expect(place(step("read")) == mark && step("read")?["outcome"] == (mark == nil ? "no" : "yes"), "\(text)")
        for device in devices where device.user.rawValue == one.user {
            let found = step("feed", of: device.id.rawValue)
            if one.device == device.id.rawValue, one.epoch == device.epoch.rawValue {
                #expect(found?["madeTheChange"] == true && place(found) == nil, "\(text)")
            } else {
                #expect(place(found) == one.place && found?["outcome"] == "yes", "\(text)")
            }
        }
    }
}
