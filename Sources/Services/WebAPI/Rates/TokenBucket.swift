/// A bucket that fills at a rate up to a burst, as a value. Work is taken after it was done, so a bucket may be
/// overdrawn: its sender waits until it is even.
struct TokenBucket: Hashable {
    private(set) var level: Double
    private var time: Double

    /// A full bucket.
    /// - Parameter now: seconds on any clock that does not go back.
    init(burst: Double, now: Double) {
        level = burst
        time = now
    }

    /// Seconds until there is something in it again; 0 when there is.
    mutating func wait(rate: Double, burst: Double, now: Double) -> Double {
        fill(rate, burst, now)
        return level > 0 ? 0 : (1 - level) / rate
    }

    mutating func take(_ amount: Double, rate: Double, burst: Double, now: Double) {
        fill(rate, burst, now)
        level -= amount
    }

    /// Returns true if nothing would be lost by forgetting it.
    mutating func isFull(rate: Double, burst: Double, now: Double) -> Bool {
        fill(rate, burst, now)
        return level >= burst
    }

    private mutating func fill(_ rate: Double, _ burst: Double, _ now: Double) {
        if now > time { level = min(burst, level + (now - time) * rate) }
        time = max(time, now)
    }
}
