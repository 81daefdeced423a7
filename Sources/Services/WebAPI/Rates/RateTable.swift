import Waiting

/// The buckets of all senders of one kind, in bounded memory: quiet senders are dropped, and if too many are not quiet,
/// those with the fullest buckets.
final class RateTable<Key: Hashable & Sendable>: Sendable {
    /// Senders that are remembered at once, in all shards together.
    static var sendersMaximum: Int { 65_536 }
    private static var shardCount: Int { 16 }

    private struct Buckets {
        var requests: TokenBucket
        var bytes: TokenBucket
        var cost: TokenBucket

        init(_ rates: RateLimits.Rates, now: Double) {
            let burst = RateLimits.burstSeconds
            requests = TokenBucket(burst: rates.requests * burst, now: now)
            bytes = TokenBucket(burst: rates.bytes * burst, now: now)
            cost = TokenBucket(burst: rates.cost * burst, now: now)
        }

        subscript(measure: RateMeasure) -> TokenBucket {
            get {
                switch measure {
                case .requests: requests
                case .bytes: bytes
                case .cost: cost
                }
            }
            set {
                switch measure {
                case .requests: requests = newValue
                case .bytes: bytes = newValue
                case .cost: cost = newValue
                }
            }
        }
    }

    private final class Shard: Sendable {
        // Of an address that floods, all threads of the server count to one shard.
        let senders = BusyMutex<[Key: Buckets]>([:])
    }

    private let rates: RateLimits.Rates
    private let shards: [Shard]
    private let shardMaximum: Int

    init(_ rates: RateLimits.Rates, sendersMaximum: Int = RateTable.sendersMaximum) {
        self.rates = rates
        shards = (0..<Self.shardCount).map { _ in Shard() }
        shardMaximum = max(1, sendersMaximum / Self.shardCount)
    }

    /// The number of senders that are remembered.
    var count: Int { shards.reduce(0) { $0 + $1.senders.withLock(\.count) } }

    /// Returns the measure that the sender has to wait for, and how many seconds; nil when it may go on. Nothing is
    /// taken.
    func wait(_ key: Key, now: Double) -> (measure: RateMeasure, seconds: Double)? {
        if rates.isOff { return nil }
        return shard(key).senders.withLock { wait(key, &$0, now) }
    }

    /// Takes a request from a sender's bucket if the sender has to wait for nothing, and returns as `wait` otherwise.
    func begin(_ key: Key, now: Double) -> (measure: RateMeasure, seconds: Double)? {
        if rates.isOff { return nil }
        return shard(key).senders.withLock { senders in
            if let wait = wait(key, &senders, now) { return wait }
            take(1, .requests, key, &senders, now)
            return nil
        }
    }

    /// Takes an amount from a sender's bucket.
    func take(_ amount: Double, _ measure: RateMeasure, _ key: Key, now: Double) {
        guard rates[measure] > 0, amount > 0 else { return }
        shard(key).senders.withLock { take(amount, measure, key, &$0, now) }
    }

    private func wait(
        _ key: Key, _ senders: inout [Key: Buckets], _ now: Double
    ) -> (measure: RateMeasure, seconds: Double)? {
        guard var buckets = senders[key] else { return nil }
        defer { senders[key] = buckets }
        var longest: (measure: RateMeasure, seconds: Double)?
        for measure in RateMeasure.allCases where rates[measure] > 0 {
            let rate = rates[measure]
            let seconds = buckets[measure].wait(rate: rate, burst: rate * RateLimits.burstSeconds, now: now)
            if seconds > longest?.seconds ?? 0 { longest = (measure, seconds) }
        }
        return longest
    }

    private func take(
        _ amount: Double, _ measure: RateMeasure, _ key: Key, _ senders: inout [Key: Buckets], _ now: Double
    ) {
        let rate = rates[measure]
        guard rate > 0 else { return }
        if senders[key] == nil, senders.count >= shardMaximum { makeRoom(&senders, now) }
        var buckets = senders[key] ?? Buckets(rates, now: now)
        buckets[measure].take(amount, rate: rate, burst: rate * RateLimits.burstSeconds, now: now)
        senders[key] = buckets
    }

    private func shard(_ key: Key) -> Shard { shards[Int(UInt(bitPattern: key.hashValue) % UInt(shards.count))] }

    /// Drops quiet senders, and if that is not enough, the quarter with the fullest buckets.
    private func makeRoom(_ senders: inout [Key: Buckets], _ now: Double) {
        let burst = RateLimits.burstSeconds
        var left: [(key: Key, share: Double)] = []
        for (key, buckets) in senders {
            var buckets = buckets
            var least = 1.0
            for measure in RateMeasure.allCases where rates[measure] > 0 {
                let most = rates[measure] * burst
                if !buckets[measure].isFull(rate: rates[measure], burst: most, now: now) {
                    least = min(least, buckets[measure].level / most)
                }
            }
            left.append((key, least))
        }
        left.sort { $0.share > $1.share }
        let quiet = left.prefix { $0.share >= 1 }.count
        for entry in left.prefix(max(quiet, max(1, left.count / 4))) { senders[entry.key] = nil }
    }
}
