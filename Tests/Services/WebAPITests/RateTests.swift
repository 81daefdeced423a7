import CloudModel
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// What senders may ask for in a while, on a clock of the tests' own.
@Suite struct RateTests {
    @Test func aBucketEmptiesAndFillsAtItsRate() {
        var bucket = TokenBucket(burst: 20, now: 0)
        for _ in 0..<20 {
            #expect(bucket.wait(rate: 2, burst: 20, now: 0) == 0)
            bucket.take(1, rate: 2, burst: 20, now: 0)
        }
        #expect(bucket.wait(rate: 2, burst: 20, now: 0) == 0.5)
        #expect(bucket.wait(rate: 2, burst: 20, now: 0.5) == 0)
        // Finished work is taken whole, and waited for.
        bucket.take(101, rate: 2, burst: 20, now: 0.5)
        #expect(bucket.wait(rate: 2, burst: 20, now: 0.5) == 50.5)
        #expect(bucket.wait(rate: 2, burst: 20, now: 1000) == 0)
        #expect(bucket.level == 20)
        // A clock that goes back gives nothing away.
        bucket.take(20, rate: 2, burst: 20, now: 1000)
        #expect(bucket.wait(rate: 2, burst: 20, now: 0) > 0)
        #expect(bucket.wait(rate: 2, burst: 20, now: 1000) > 0)
    }

    /// However the requests come, no more is done in a time than burst and rate allow, and nobody below the rate is
    /// refused.
    @Test(arguments: 1...10) func ratesHold(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rates = RateLimits.Rates(requests: 5)
        let table = RateTable<Int>(rates)
        var now = 0.0
        var done = 0
        for _ in 0..<2000 {
            now += Double.random(in: 0...0.2, using: &random)
            // Two ways to the same.
            if seed.isMultiple(of: 2) {
                let wait = table.wait(1, now: now)
                let other = table.begin(1, now: now)
                #expect(wait?.seconds == other?.seconds, "seed \(seed)")
                if other == nil { done += 1 }
            } else if table.wait(1, now: now) == nil {
                table.take(1, .requests, 1, now: now)
                done += 1
            }
            #expect(Double(done) <= 50 + 5 * now + 1, "seed \(seed)")
            // Another sender is not concerned.
            #expect(table.wait(2, now: now) == nil, "seed \(seed)")
        }
        #expect(Double(done) >= 5 * now - 5, "seed \(seed)")
    }

    @Test func idleSendersAreEvicted() {
        let table = RateTable<Int>(RateLimits.Rates(requests: 1), sendersMaximum: 160)
        for _ in 0..<20 { table.take(1, .requests, -1, now: 0) }
        for key in 0..<100_000 { table.take(1, .requests, key, now: 0) }
        #expect(table.count <= 160)
        // The most overdrawn bucket is kept the longest: a crowd of strangers clears none.
        #expect(table.wait(-1, now: 0) != nil)
    }

    @Test func disabledRatesAreNotCounted() {
        let table = RateTable<Int>(RateLimits.Rates())
        for measure in RateMeasure.allCases { table.take(1_000_000, measure, 1, now: 0) }
        #expect(table.begin(1, now: 0) == nil && table.wait(1, now: 0) == nil && table.count == 0)
    }

    private static let scope = ContainerEnvironment(
        container: ContainerIdentifier(trusted: "iCloud.a"), environment: .development)

    @Test func heldRequestsAreCountedByUserAndByToken() throws {
        var limits = RateLimits()
        limits.heldOfUser = 2
        limits.heldOfCredential = 3
        let rates = RateGuard(limits)
        func user(_ name: String) -> Sender { .user(Self.scope, UserRecordName(trusted: name)) }
        let first = try rates.hold(user("a"), "t")
        _ = try rates.hold(user("a"), "t")
        #expect(throws: CloudError.self) { try rates.hold(user("a"), "t") }
        _ = try rates.hold(user("b"), "t")
        #expect(throws: CloudError.self) { try rates.hold(user("c"), "t") }
        _ = try rates.hold(user("c"), "u")
        first.end()
        first.end()
        #expect(rates.heldCount(user("a")) == 1)
        _ = try rates.hold(user("a"), "t")
        #expect(throws: CloudError.self) { try rates.hold(user("a"), "v") }
    }

    @Test func refusedRequestsAreCountedByAddress() throws {
        let now = Mutex(0.0)
        var limits = RateLimits()
        limits.refusedPerSecond = 2
        let rates = RateGuard(limits, clock: { now.withLock { $0 } })
        let address = ClientAddress("192.0.2.1")
        for _ in 0..<20 { try rates.refuse(address) }
        do {
            try rates.refuse(address)
            Issue.record("one more got a reason")
        } catch {
            #expect(error.code == .throttled && error.retryAfterSeconds == 1)
        }
        try rates.refuse(ClientAddress("192.0.2.2"))
        // An IPv6 sender has a network of addresses.
        for number in 0..<20 { try rates.refuse(ClientAddress("2001:db8::\(number)")) }
        #expect(throws: CloudError.self) { try rates.refuse(ClientAddress("2001:db8::ffff:1")) }
        now.withLock { $0 = 100 }
        try rates.refuse(address)
    }
}
