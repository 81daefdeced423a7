import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import JSON
import MemoryLog
import RecordService
import RecordStore
import TestSupport
import Testing

@testable import Console

/// The way of a notification, as an operator asks for it.
@Suite struct WayRouteTests {
    /// The way of the notification of a change, once the device's feed has it.
    private static func way(_ bench: ConsoleBench, _ body: JSONValue) async throws -> Answer {
        try await answer("the feed") {
            let answer = try await bench.ask("notifications/way", body)
            let isThere = answer.json["steps"]?.array?.contains { $0["step"] == "feed" && $0["outcome"] == "yes" }
            return isThere == true ? answer : nil
        }
    }

    private static func step(_ kind: String, _ answer: Answer) -> JSONValue? {
        answer.json["steps"]?.array?.first { $0["step"]?.string == kind }
    }

    @Test("the way is found by the notification's ID alone, and agrees with explain")
    func found() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            let alice = try #require(world.alice.user)
            let phone = try await world.register("phone", world.alice)
            try await world.subscribe("all", world.alice)
            try await world.save("a", 1, world.bob)
            let change = try await world.change(of: "a")
            let subject = NotificationSubject(user: alice, change: CommitSequence(change))
            let id = JSONValue.string(NotificationIdentifiers(bench.keys).encode(subject))
            let answer = try await Self.way(bench, ["notificationID": id])
            #expect(answer.json["notificationID"] == id && answer.json["change"] == .integer(change))
            #expect(answer.json["userRecordName"]?.string == alice.rawValue && answer.json["database"] == "public")
            #expect(answer.json["subscriptionID"] == "all" && answer.json["subscriptions"] == ["all"])
            #expect(answer.json["recordName"] == "a" && answer.json["recordType"] == "Task")
            let kinds = answer.json["steps"]?.array?.compactMap { $0["step"]?.string }
            #expect(
                kinds == ["commit", "outbox", "matched", "journal", "feed", "fetched", "read", "push"], "\(answer.text)"
            )
            for body: JSONValue in [
                ["notificationID": id, "user": "alice"], ["change": .integer(change), "user": "alice"],
                ["change": .string("\(change)"), "user": .string(alice.rawValue), "subscriptionID": "all"],
                ["notificationID": id, "database": "public"],
            ] {
                #expect(try await bench.ask("notifications/way", body).json == answer.json, "\(body)")
            }
            let explained = try await world.explain(.integer(change), "all")
            for (stage, step) in [("changes", "outbox"), ("deliveries", "matched"), ("journal", "journal")] {
                let place = explained.json["way"]?.array?.first { $0["stage"]?.string == stage }?["place"]
                let own = Self.step(step, answer)
                #expect(own?["offset"] == place?["offset"] && own?["topic"] == place?["topic"], "\(stage)")
                #expect(own?["time"] == place?["time"] && own?["time"] != nil)
            }
            #expect(Self.step("feed", answer)?["deviceID"]?.string == phone.id.rawValue)
        }
    }

    @Test("a device has fetched it when its token is past it, and the mark by which it was read has its place")
    func fetched() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            let phone = try await world.register("phone", world.alice)
            try await world.subscribe("all", world.alice)
            try await world.save("a", 1, world.bob)
            let change = try await world.change(of: "a")
            let body: JSONValue = ["change": .integer(change), "user": "alice"]
            let before = try await Self.way(bench, body)
            #expect(
                Self.step("fetched", before)?["outcome"] == "unknown" && Self.step("read", before)?["outcome"] == "no")
            let feeds = FeedService(FeedSources(bench.system.log, layout: bench.system.layout), keys: bench.keys)
            let identity = feeds.identity(of: phone)
            func note(_ token: String) async throws {
                try await bench.system.service.store.write {
                    try $0.save(StoredDevice(device: phone, lastSeen: Timestamp(milliseconds: 5), token: token))
                }
            }
            try await note(feeds.tokenAfterRegistration(of: identity))
            #expect(Self.step("fetched", try await Self.way(bench, body))?["outcome"] == "no")
            try await note(try await feeds.changes(in: identity, after: nil, limit: 10, waiting: .zero).token)
            let fetched = Self.step("fetched", try await Self.way(bench, body))
            #expect(fetched?["outcome"] == "yes" && fetched?["notAfter"] == 5)
            try await bench.system.service.markRead([CommitSequence(change)], on: phone.id, for: world.alice)
            try await eventually("the mark") {
                let read = Self.step("read", try await Self.way(bench, body))
                return read?["outcome"] == "yes" && read?["deviceID"] == "phone" && read?["offset"] != nil
            }
        }
    }

    @Test("a change that fires nothing has the way of the change, and one that is not there has none")
    func ends() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            try await world.subscribe("large", world.alice, atLeast: 5)
            try await world.save("small", 1, world.bob)
            let change = JSONValue.integer(try await world.change(of: "small"))
            _ = try await world.explain(change, "large")
            let answer = try await bench.ask("notifications/way", ["change": change, "user": "alice"])
            let outcomes = answer.json["steps"]?.array?.map { [$0["step"], $0["outcome"]] }
            #expect(outcomes == [["commit", "yes"], ["outbox", "yes"], ["matched", "unknown"]], "\(answer.text)")
            #expect(answer.json["subscriptionID"] == nil)
            for number in [0, -1, Int64.max, Int64.min] {
                let none = try await bench.ask("notifications/way", ["change": .integer(number), "user": "alice"])
                #expect(none.code == "NOT_FOUND", "\(number): \(none.text)")
            }
        }
    }

    @Test("IDs of others, of another service and no IDs are refused with a short reason")
    func hostile() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            let (alice, bob) = (try #require(world.alice.user), try #require(world.bob.user))
            let subject = NotificationSubject(user: alice, change: CommitSequence(1))
            let id = NotificationIdentifiers(bench.keys).encode(subject)
            let foreign = NotificationIdentifiers(.generate()).encode(subject)
            let texts = ["", "\u{0}", "x", foreign, id.uppercased(), String(repeating: "x", count: 1_000_000)]
            for body: JSONValue in texts.map({ ["notificationID": .string($0)] }) + [
                ["notificationID": .string(id), "user": .string(bob.rawValue)],
                ["notificationID": .string(id), "user": "nobody"],
                ["change": 1, "user": .string(String(repeating: "x", count: 1_000_000))],
            ] {
                let answer = try await bench.ask("notifications/way", body)
                #expect(answer.code == "NOT_FOUND" && answer.body.count < 2000, "\(answer.text.prefix(300))")
            }
            for body: JSONValue in [
                [:], ["change": 1], ["notificationID": 1], ["change": "x", "user": "alice"],
                ["change": 1, "user": "alice", "database": "x"],
                ["change": 1, "user": "alice", "subscriptionID": "a\u{0}"],
                ["change": 1, "user": "alice", "subscriptionID": .string(String(repeating: "x", count: 1_000_000))],
            ] {
                let answer = try await bench.ask("notifications/way", body)
                #expect(answer.code == "BAD_REQUEST" && answer.body.count < 2000, "\(answer.text.prefix(300))")
            }
        }
    }

    @Test("where retention removed the first steps, the later ones are found, and the others are unknown")
    func trimmed() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            _ = try await world.register("phone", world.alice)
            try await world.subscribe("all", world.alice)
            try await world.save("a", 1, world.bob)
            let body: JSONValue = ["change": .integer(try await world.change(of: "a")), "user": "alice"]
            let whole = try await Self.way(bench, body)
            let layout = bench.system.layout
            let changes = (0..<layout.partitions).map { TopicPartition(layout.changes(.public), $0) }
            let deliveries = (0..<layout.partitions).map { TopicPartition(layout.deliveries, $0) }
            for topic in [deliveries, changes] {
                try await bench.memory.truncate(try await bench.memory.bounds(of: topic).mapValues(\.end))
                let answer = try await bench.ask("notifications/way", body)
                for kind in ["journal", "feed"] { #expect(Self.step(kind, answer) == Self.step(kind, whole)) }
                #expect(Self.step("commit", answer)?["time"] == Self.step("commit", whole)?["time"])
                #expect(Self.step("matched", answer)?["outcome"] == "unknown", "\(answer.text)")
                #expect(Self.step("outbox", answer)?["outcome"] == (topic == changes ? "unknown" : "yes"))
            }
        }
    }
}
