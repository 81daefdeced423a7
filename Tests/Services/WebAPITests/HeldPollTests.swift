import CloudMessages
import CloudModel
import Feeds
import JSON
import RecordService
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// Polls that rest without a task while they wait.
@Suite struct HeldPollTests {
    /// No poll reads again by itself, so that an empty answer is a poll that was not woken.
    @Test func entriesAtTheBeginningOfARestAreReturned() async throws {
        let seed = TestSeeds.first
        var random = SeededGenerator(seed: seed)
        // The time from a save to its wakeup. Not in yields: their time is that of all other tests.
        let delays = (0..<200).map { _ in Duration.microseconds(Int.random(in: 0...3_000, using: &random)) }
        try await WebBench.run(isRechecking: false) { bench in
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
                let answer = try await bench.changes("phone", alice, after: before, ["waitSeconds": 60])
                try await save
                let names = answer.json["notifications"]?.array?.map { $0["recordName"]?.string }
                #expect(names == [name], "round \(round), \(delay), seed \(seed): \(answer.json)")
                token = answer.json["serverChangeToken"]?.string
            }
            try await eventually("nothing waits") { bench.waiting.answers == 0 }
        }
    }

    /// The moment that the test above looks for, made: between the reading of a poll and its rest, and in each of two
    /// rests.
    @Test func newsBetweenLookAndRestWakeAtOnce() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let identity = try await registered("phone", alice, bench)
            let poll = try await poll(of: identity, .seconds(60), bench)
            #expect(try await poll.next() == nil)
            let wakes = Atomic<Int>(0)
            func rest() { poll.rest { wakes.add(1, ordering: .relaxed) } }
            arrived(identity, bench)
            rest()
            #expect(wakes.load(ordering: .relaxed) == 1, "what came before the rest wakes it as it begins")
            rest()
            #expect(wakes.load(ordering: .relaxed) == 2, "nothing was read since")
            poll.leave()
        }
    }

    /// A ring says that there may be something, and another device's entry rings as well.
    @Test func aPollThatIsWokenForNothingRestsAgainAndEndsInTime() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let identity = try await registered("phone", alice, bench)
            let poll = try await poll(of: identity, .seconds(3), bench)
            #expect(try await poll.next() == nil)
            arrived(identity, bench)
            var wakes = 0
            while true {
                await withCheckedContinuation { (woken: CheckedContinuation<Void, Never>) in
                    poll.rest { woken.resume() }
                }
                wakes += 1
                guard let page = try await poll.next() else { continue }
                #expect(page.items.isEmpty)
                break
            }
            #expect(wakes >= 2, "by the ring, and by its time")
            poll.leave()
        }
    }

    /// A poll counts among those that are held until it is over, and no longer: one that ends by its time, and one that
    /// is woken.
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
                let answer = try await poll
                #expect(answer.json["notifications"]?.array?.count == 1, "\(answer.json)")
                token = answer.json["serverChangeToken"]?.string
            }
        }
    }

    private func registered(_ device: String, _ user: WebBench.SignedIn, _ bench: WebBench) async throws -> FeedIdentity
    {
        let body: JSONValue = ["deviceID": .string(device)]
        let answer = try await bench.send("POST", bench.device("devices/register"), body, user: user)
        let epoch = try #require(answer.json["epoch"]?.integer.flatMap { Int64(exactly: $0) })
        // It has been read once, so that its feed is there.
        #expect(try await bench.changes(device, user).status == 200)
        return FeedIdentity(
            scope: bench.system.layout.scope, user: UserRecordName(trusted: user.name),
            device: DeviceID(trusted: device), epoch: DeviceEpoch(epoch))
    }

    private func poll(
        of identity: FeedIdentity, _ wait: Duration, _ bench: WebBench
    ) async throws -> HeldPoll<NotificationPoll> {
        let poll = NotificationPoll(
            question: APICall.FeedQuestion(identity: identity, token: nil, limit: 10, wait: wait),
            reader: try await bench.feeds.reader(of: identity, after: nil), news: bench.news,
            begun: Timestamp.wallClock(), ends: nil)
        return HeldPoll(poll, wait: wait, alarms: Works().alarms)
    }

    /// Rings without an entry.
    private func arrived(_ identity: FeedIdentity, _ bench: WebBench) { bench.news.arrived(identity.user) }
}
