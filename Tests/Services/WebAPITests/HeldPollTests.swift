import CloudMessages
import CloudModel
import EventLog
import Feeds
import JSON
import RecordService
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// Polls that rest without a task while they wait.
@Suite struct HeldPollTests {
    /// What is missed is found by the next look: ten seconds later at the latest, at the end of a poll of five. So an empty answer is a poll
    /// that was not woken.
    @Test func newsThatMeetTheBeginningOfARestAreTold() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        // The time within which a save tells, from when it was sent. Not in yields: their time is that of all other tests.
        let delays = (0..<200).map { _ in Duration.microseconds(Int.random(in: 0...3_000, using: &random)) }
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            var token = try await bench.changes("phone", alice).json["serverChangeToken"]?.string
            for (round, delay) in delays.enumerated() {
                let (before, name) = (token, "r\(round)")
                async let save: Void = bench.save(name, user: bob)
                let due = ContinuousClock.now + delay
                while .now < due {}
                let answer = try await bench.changes("phone", alice, after: before, ["waitSeconds": 5])
                try await save
                let told = answer.json["notifications"]?.array?.map { $0["recordName"]?.string }
                #expect(told == [name], "round \(round), \(delay), seed \(seed): \(answer.json)")
                token = answer.json["serverChangeToken"]?.string
            }
            try await eventually("nothing waits") { bench.waiting.answers == 0 }
        }
    }

    /// The moment that the test above looks for, made: between the look of a poll and its rest, and in each of two rests.
    @Test func newsBetweenLookAndRestWakeAtOnce() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let body: JSONValue = ["deviceID": "phone"]
            let phone = try await bench.send("POST", bench.device("devices/register"), body, user: alice)
            let epoch = DeviceEpoch(try #require(phone.json["epoch"]?.integer.flatMap { Int64(exactly: $0) }))
            _ = try await bench.changes("phone", alice)
            let identity = FeedIdentity(
                scope: bench.system.layout.scope, user: UserRecordName(trusted: alice.name),
                device: DeviceID(trusted: "phone"), epoch: epoch)
            let question = APICall.FeedQuestion(identity: identity, token: nil, limit: 10, wait: .seconds(60))
            let poll = HeldPoll(
                question, try await bench.feeds.reader(of: identity, after: nil), bench.news,
                begun: Timestamp.wallClock(),
                ends: nil, alarms: Works().alarms)
            func arrived() {
                bench.news.arrived(
                    DeviceID(trusted: "phone"), epoch,
                    SourcePosition(source: SourceID(origin: "deliveries", incarnation: 1, partition: 0), offset: 7))
            }
            #expect(try await poll.page() == nil)
            let wakes = Atomic<Int>(0)
            func rest() { poll.rest { wakes.add(1, ordering: .relaxed) } }
            arrived()
            rest()
            #expect(wakes.load(ordering: .relaxed) == 1, "what came before the rest wakes it as it begins")
            rest()
            #expect(wakes.load(ordering: .relaxed) == 2, "nothing was looked at since")
            poll.leave()
        }
    }

    /// Stage 2 tells of entries a moment before they can be read, and may stand still in between.
    @Test func pollEndsInItsTimeThoughWhatNewsTellOfIsNotThere() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let body: JSONValue = ["deviceID": "phone"]
            let phone = try await bench.send("POST", bench.device("devices/register"), body, user: alice)
            let epoch = DeviceEpoch(try #require(phone.json["epoch"]?.integer.flatMap { Int64(exactly: $0) }))
            let clock = ContinuousClock()
            let began = clock.now
            async let poll = bench.changes("phone", alice, ["waitSeconds": 1])
            try await eventually("the poll") { bench.waiting.answers == 1 }
            bench.news.arrived(
                DeviceID(trusted: "phone"), epoch,
                SourcePosition(source: SourceID(origin: "deliveries", incarnation: 1, partition: 0), offset: 7))
            let answer = try await poll
            #expect(answer.status == 200 && answer.json["notifications"]?.array?.isEmpty == true)
            // Looking for the name goes on for more than ten seconds.
            #expect(clock.now - began < .seconds(8))
        }
    }

    /// A poll counts among those that are held until it is over, and no longer: one that ends by its time, and one that is woken.
    @Test func placeAmongTheHeldIsLetGo() async throws {
        var rates = RateLimits()
        rates.heldOfUser = 1
        try await WebBench.run(rates: rates) { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            var token = try await bench.changes("phone", alice).json["serverChangeToken"]?.string
            for round in 0..<2 {
                let empty = try await bench.changes("phone", alice, after: token, ["waitSeconds": 1])
                #expect(empty.status == 200 && empty.json["notifications"]?.array?.isEmpty == true)
                let before = empty.json["serverChangeToken"]?.string
                async let poll = bench.changes("phone", alice, after: before, ["waitSeconds": 60])
                try await eventually("the poll") { bench.waiting.answers == 1 }
                try await bench.save("r\(round)", user: bob)
                let told = try await poll
                #expect(told.json["notifications"]?.array?.count == 1, "\(told.json)")
                token = told.json["serverChangeToken"]?.string
            }
        }
    }
}
