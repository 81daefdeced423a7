import CloudModel

/// The silent pushes that a device may get: three at once, then one every 20 minutes. Apple delivers no more than two
/// or three an hour and may stop those of an app that sends more.
struct SilentBudget: Hashable, Sendable {
    /// Silent pushes at once.
    static let burst = 3
    /// The time in which one comes back, in milliseconds.
    static let interval: Int64 = 20 * 60 * 1000

    /// The pushes that count, and the time at which they were counted; both 0 where none do.
    private(set) var used = 0
    private(set) var time = Timestamp(milliseconds: 0)

    init(used: Int = 0, at time: Timestamp = Timestamp(milliseconds: 0)) {
        self.used = max(0, min(used, Self.burst))
        self.time = time
    }

    /// True if nothing counts any more.
    var isFull: Bool { used == 0 }

    /// Forgets the pushes that count no longer at a time.
    mutating func advance(to now: Timestamp) {
        guard used > 0 else { return }
        // A sender with another clock counted them.
        guard now >= time else { return time = now }
        let returned = (now.milliseconds - time.milliseconds) / Self.interval
        guard returned < Int64(used) else { return self = SilentBudget() }
        used -= Int(returned)
        time = Timestamp(milliseconds: time.milliseconds + returned * Self.interval)
    }

    /// The time from which one may be sent, at the earliest.
    var next: Timestamp {
        used < Self.burst ? time : Timestamp(milliseconds: time.milliseconds + Self.interval)
    }

    /// True if one may be sent that leaves room for another.
    var hasRoomToSpare: Bool { used < Self.burst - 1 }

    /// The time from which nothing counts any more.
    var end: Timestamp { Timestamp(milliseconds: time.milliseconds + Int64(used) * Self.interval) }

    /// Counts one.
    mutating func take(at now: Timestamp) {
        advance(to: now)
        if used == 0 { time = now }
        used = min(Self.burst, used + 1)
    }
}
