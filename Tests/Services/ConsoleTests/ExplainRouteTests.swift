import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import JSON
import MemoryLog
import ProtocolBuffers
import RecordService
import TestSupport
import Testing

@testable import Console

/// Why a subscription did or did not notify, as an operator asks for it.
@Suite struct ExplainRouteTests {
    /// The step of a kind in an explanation.
    private static func step(_ kind: String, _ answer: Answer) -> JSONValue? {
        answer.json["steps"]?.array?.first { $0["step"]?.string == kind }
    }

    @Test("a change that notified is explained by its number and by the notification's ID, with places and values")
    func notified() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            let phone = try await world.register("phone", world.alice)
            try await world.subscribe("large", world.alice, atLeast: 5)
            try await world.save("seven", 7, world.bob)
            let change = try await world.change(of: "seven")
            let answer = try await world.explain(.integer(change), "large")
            #expect(answer.json["verdictCode"] == "notified" && answer.json["isLost"] == false, "\(answer.text)")
            #expect(answer.json["valuesLeftOut"] == false && answer.json["change"] == .integer(change))
            let after = Self.step("predicate", answer)?["after"]
            #expect(after?["holds"] == true && after?["value"]?["value"] == "7" && after?["operand"]?["value"] == "5")
            // The place of the change is that of the topic itself.
            let place = try #require(Self.step("change", answer)?["place"])
            let partition = Int32(try #require(place["partition"]?.integer))
            let offset = try #require(place["offset"]?.integer)
            var met: Int64?
            let topic = TopicPartition(bench.system.layout.changes(.public), partition)
            try await bench.memory.readToEnd(of: topic) { entry in
                if entry.offset == offset { met = try ChangeEvent(decoding: entry.value ?? []).source?.offset }
            }
            #expect(met == change)
            let stages = answer.json["way"]?.array?.compactMap { $0["stage"]?.string }
            #expect(stages == ["committed", "changes", "deliveries", "journal", "feed"], "\(answer.text)")
            #expect(answer.json["way"]?.array?.last?["deviceID"]?.string == phone.id.rawValue)

            let subject = NotificationSubject(user: try #require(world.alice.user), change: CommitSequence(change))
            let id = NotificationIdentifiers(bench.keys).encode(subject)
            let named = try await world.explain(.string(id), "large")
            #expect(
                named.json["way"] == answer.json["way"] && named.json["change"] == .integer(change), "\(named.text)")
            // Another user's ID, and a text that is none.
            for wrong in [NotificationIdentifiers(.generate()).encode(subject), "", "\u{0}", "-"] {
                let refused = try await bench.ask("explain", ["change": .string(wrong), "subscriptionID": "large"])
                #expect(refused.code == "BAD_REQUEST", "\(wrong): \(refused.text)")
            }
        }
    }

    @Test("a change that did not notify is explained by the node that decided")
    func notMatched() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            try await world.subscribe("large", world.alice, atLeast: 5)
            try await world.save("three", 3, world.bob)
            let answer = try await world.explain(.integer(try await world.change(of: "three")), "large")
            #expect(answer.json["verdictCode"] == "doesNotFire", "\(answer.text)")
            let step = Self.step("predicate", answer)
            #expect(step?["outcome"] == "no" && step?["after"]?["decides"] == true)
            #expect(step?["after"]?["value"]?["value"] == "3")
            #expect(answer.json["way"]?.array?.map { $0["stage"] } == ["committed", "changes"])
        }
    }

    @Test("subscriptions that nobody has, or several have, and changes that are not there have their reasons")
    func unknown() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            for user in [world.alice, world.bob] { try await world.subscribe("both", user) }
            try await world.save("a", 1, world.bob)
            let change = JSONValue.integer(try await world.change(of: "a"))
            let several = try await world.explain(change, "both")
            #expect(several.code == "NOT_FOUND" && several.text.contains("several"), "\(several.text)")
            #expect(try await world.explain(change, "both", user: world.bob).json["verdictCode"] == "notified")
            #expect(try await world.explain(change, "none").code == "NOT_FOUND")
            let elsewhere = try await world.explain(change, "both", user: world.bob, database: .private)
            #expect(elsewhere.code == "NOT_FOUND")
            for number in [0, -1, Int64.max, Int64.min] {
                let none = try await world.explain(.integer(number), "both", user: world.bob)
                #expect(none.json["verdictCode"] == "noChange", "\(number): \(none.text)")
            }
            for name in ["x\u{0}", String(repeating: "x", count: 1_000_000)] {
                let long = try await bench.ask("explain", ["change": change, "subscriptionID": .string(name)])
                #expect(long.code == "BAD_REQUEST" || long.code == "NOT_FOUND", "\(long.text.prefix(300))")
                #expect(long.body.count < 2000)
            }
        }
    }

    @Test("where retention removed the change, or the journal of its time, the answer says so and no loss")
    func trimmed() async throws {
        try await ConsoleBench.run { bench in
            let world = try await TracedWorld(bench)
            try await world.subscribe("all", world.alice)
            for name in ["first", "second"] { try await world.save(name, 1, world.bob) }
            var places: [(offset: Int64, change: JSONValue)] = []
            for name in ["first", "second"] {
                let change = JSONValue.integer(try await world.change(of: name))
                let answer = try await world.explain(change, "all")
                #expect(answer.json["verdictCode"] == "notified")
                let stage = answer.json["way"]?.array?.first { $0["stage"] == "journal" }
                places.append((try #require(stage?["place"]?["offset"]?.integer), change))
            }
            // The changes are in two partitions: either notification may be the first.
            places.sort { $0.offset < $1.offset }
            let first = places[0].change
            let layout = bench.system.layout
            let alice = try #require(world.alice.user)
            let (deliveries, journal) = (layout.deliveries(of: alice), layout.journals(of: alice))
            let end = try #require(try await bench.memory.bounds(of: [deliveries])[deliveries]?.end)
            try await bench.memory.truncate([deliveries: end, journal: places[1].offset])
            let expired = try await world.explain(first, "all")
            #expect(expired.json["verdictCode"] == "expired" && expired.json["isLost"] == false, "\(expired.text)")
            let changes = (0..<layout.partitions).map { TopicPartition(layout.changes(.public), $0) }
            try await bench.memory.truncate(try await bench.memory.bounds(of: changes).mapValues(\.end))
            let gone = try await world.explain(first, "all")
            #expect(gone.json["verdictCode"] == "noChange", "\(gone.text)")
        }
    }

    @Test(
        "in production the values of private databases are left out, everywhere in the answer, and those of public ones not",
        arguments: [(DatabaseScope.private, true), (.public, false)])
    func hidden(database: DatabaseScope, isHidden: Bool) async throws {
        try await ConsoleBench.run(in: .production) { bench in
            let world = try await TracedWorld(bench)
            try await world.subscribe("large", world.alice, atLeast: 987_654, in: database)
            try await world.save("small", 123_456, world.alice, in: database, texts: ["secret": "Kulturbeutel"])
            let change = try await world.change(of: "small", in: database)
            let answer = try await world.explain(.integer(change), "large", user: world.alice)
            #expect(answer.json["valuesLeftOut"] == .bool(isHidden), "\(answer.text)")
            #expect(answer.json["verdictCode"] == "doesNotFire")
            for value in ["123456", "987654"] { #expect(answer.text.contains(value) != isHidden, "\(answer.text)") }
            // The reason is there without them.
            #expect(Self.step("predicate", answer)?["after"]?["holds"] == false)
            let page = try await bench.ask("changes/read", ["database": .string("\(database)"), "limit": 1000])
            #expect(page.json["valuesLeftOut"] == .bool(isHidden))
            #expect(page.text.contains("Kulturbeutel") != isHidden && page.text.contains("123456") != isHidden)
            #expect(page.text.contains("\"small\""))
        }
    }
}
