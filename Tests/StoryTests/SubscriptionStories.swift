import CloudModel
import JSON
import TestSupport
import Testing

/// Stories S1 and S7, over HTTP, on the embedded log and on Kafka.
@Suite struct SubscriptionStories {
    static let kinds = StorySystem.Kind.available

    @Test("S1 a query subscription fires on what satisfies its predicate, and on nothing else", arguments: kinds)
    func querySubscription(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe(
            "urgent", to: "Task",
            filters: [
                ["fieldName": "priority", "comparator": "EQUALS", "fieldValue": ["value": "HIGH"]],
                ["fieldName": "isComplete", "comparator": "EQUALS", "fieldValue": ["value": 0]],
            ], on: ["create", "update"])
        let run = UInt32.random(in: 0 ... .max)
        try await alice.save(
            [
                ("match-\(run)", ["priority": "high", "isComplete": 0]),
                ("done-\(run)", ["priority": "high", "isComplete": 1]),
                ("low-\(run)", ["priority": "low", "isComplete": 0]),
                ("none-\(run)", ["isComplete": 0]),
            ], type: "Task")
        try await alice.save([("low-\(run)", ["priority": "high"])], type: "Task")
        let feed = try await alice.feed(phone, atLeast: 2)
        let delivered = Set(feed.notes.map { "\($0.record ?? "") \($0.reason ?? "")" })
        #expect(delivered == ["match-\(run) recordCreated", "low-\(run) recordUpdated"] && feed.notes.count == 2)
    }

    @Test("S1 a reference in the predicate finds the records that refer to it", arguments: kinds)
    func referenceSubscription(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe(
            "turner", to: "Painting",
            filters: [
                ["fieldName": "artist", "comparator": "EQUALS", "fieldValue": ["value": ["recordName": "turner"]]]
            ])
        let run = UInt32.random(in: 0 ... .max)
        let reference = { (name: String) -> JSONValue in ["recordName": .string(name), "action": "NONE"] }
        try await alice.save(
            [
                ("sea-\(run)", ["artist": reference("turner")]), ("pug-\(run)", ["artist": reference("hogarth")]),
            ], type: "Painting")
        #expect(try await alice.feed(phone, atLeast: 1).notes.map(\.record) == ["sea-\(run)"])
    }

    @Test("S1 a subscription that fires once gives exactly one notification and is gone", arguments: kinds)
    func firesOnce(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        try await alice.subscribe("once", to: "Once", once: true)
        let run = UInt32.random(in: 0 ... .max)
        try await alice.save((0..<50).map { ("o\($0)-\(run)", ["n": .integer($0)]) }, type: "Once")
        try await eventually("the subscription's deletion") { try await alice.subscriptions().isEmpty }
        try await alice.subscribe("after", to: "Once")
        try await alice.save([("last-\(run)", ["n": 1])], type: "Once")
        let feed = try await alice.feed(phone, atLeast: 2)
        #expect(feed.notes.filter { $0.subscription == "once" }.count == 1)
        #expect(feed.notes.filter { $0.subscription == "after" }.map(\.record) == ["last-\(run)"])
    }

    @Test("S1 in the private database only the owner's changes fire", arguments: kinds)
    func privateDatabase(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        let bob = try await system.user("bob")
        let phone = try await alice.register("phone")
        try await alice.subscribe("mine", to: "Secret", in: .private)
        try await bob.save([("s", ["n": 1])], type: "Secret", in: .private)
        try await alice.save([("s", ["n": 2])], type: "Secret", in: .private)
        let feed = try await alice.feed(phone, atLeast: 1)
        #expect(feed.notes.count == 1 && feed.notes[0].record == "s")
    }

    @Test("S7 a deleted subscription is never heard from again, a saved one fires at once", arguments: kinds)
    func cancelling(_ kind: StorySystem.Kind) async throws {
        let alice = try await StorySystem.shared(kind).user("alice")
        let phone = try await alice.register("phone")
        let run = UInt32.random(in: 0 ... .max)
        for round in 0..<10 {
            try await alice.subscribe("a", to: "S7")
            try await alice.save([("in\(round)-\(run)", ["n": 1])], type: "S7")
            try await alice.unsubscribe("a")
            try await alice.save([("out\(round)-\(run)", ["n": 1])], type: "S7")
        }
        try await alice.subscribe("end", to: "S7")
        try await alice.save([("end-\(run)", ["n": 1])], type: "S7")
        let feed = try await alice.feed(phone, atLeast: 11)
        #expect(
            feed.notes.compactMap(\.record).sorted() == ((0..<10).map { "in\($0)-\(run)" } + ["end-\(run)"]).sorted())
    }
}
