import JSON
import Synchronization
import TestSupport
import Testing

/// Story S1: a subscription that fires once gives exactly one notification, with any number of matchers. The embedded
/// system has one; `SubscriptionStories` tests that.
@Suite(.enabled(if: RealKafka.isAvailable)) struct FiringOnceStory {
    private static let hits = "fanfare_subscription_matcher_hits_total"
    private static let changes = "fanfare_subscription_matcher_changes_total"

    @Test("S1 two matchers find the same subscription at once, and it gives exactly one notification")
    func twoMatchers() async throws {
        let system = try await StorySystem.start(.kafka)
        let other = try await system.startMatcher()
        let ports = [try #require(system.matcherPort), other.port]
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        // Both work once both have matched something; the partition is that of the record's name.
        let before = try await system.metric(Self.changes, of: ports)
        let round = Mutex<Int64>(0)
        try await eventually("work for both matchers") {
            let number = round.withLock { round in
                round += 1
                return round
            }
            try await alice.save((0..<50).map { ("w\($0)", ["n": .integer(number)]) }, type: "WarmUp")
            return try await zip(system.metric(Self.changes, of: ports), before).allSatisfy { $0 > $1 }
        }
        let records = (0..<200).map { (name: "r\($0)", fields: ["n": .integer($0)] as JSONObject) }
        try await alice.subscribe("once", to: "Prize", on: ["create"], once: true)
        try await alice.save(records, type: "Prize")
        try await eventually("200 hits by two matchers") {
            let hits = try await system.metric(Self.hits, of: ports)
            return hits.reduce(0, +) >= 200 && hits.allSatisfy { $0 > 0 }
        }
        try await eventually("the subscription's deletion") { try await alice.subscriptions().isEmpty }
        // Whatever else there was of any of the records would have come by then.
        try await alice.subscribe("fence", to: "Prize", on: ["update"])
        try await alice.save(records.map { ($0.name, ["n": 1000]) }, type: "Prize")
        let notes = try await alice.feed(phone, atLeast: 201).notes
        #expect(notes.count { $0.subscription == "once" } == 1 && notes.count { $0.subscription == "fence" } == 200)
        // Saved again it is another one, and fires again.
        try await alice.subscribe("once", to: "Prize", on: ["delete"], once: true)
        try await alice.delete(records.map(\.name))
        let deleted = try await alice.feed(phone, atLeast: 202).notes
        #expect(deleted.filter { $0.subscription == "once" }.map(\.reason) == ["recordCreated", "recordDeleted"])
        #expect(await other.process.terminate() == 0)
        try await system.stop()
    }
}
