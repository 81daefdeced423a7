import CloudModel
import EventLog

/// The bytes of notifications that a user got of late: a bucket of `Limits.notificationBytesBurst` bytes, of which
/// `Limits.notificationBytesPerSecond` come back in a second. Each notification counts once, however many devices get
/// it; for many devices the bucket is smaller, so that all their feeds together get `Limits.feedBytesBurst` at once.
///
/// Its time is that of the log's entries, and it is part of the state, so that a replay decides the same.
struct NotificationRate: Hashable {
    /// The bytes that are taken, and the time in milliseconds at which they were; both zero in a full bucket.
    private(set) var used: Int64 = 0
    private(set) var time: Int64 = 0

    /// Milliseconds after which any bucket is full.
    private static let elapsedMax: Int64 = 1_000_000

    init(used: Int64 = 0, at time: Int64 = 0) {
        self.used = max(0, min(used, Int64(Limits.messageBytesMax)))
        self.time = time
    }

    /// The bytes that are left for a user with a number of feeds.
    func room(feeds: Int) -> Int {
        max(0, min(Limits.notificationBytesBurst, Limits.feedBytesBurst / feeds) - Int(clamping: used))
    }

    /// Refills the bucket up to a time; an earlier one refills nothing. If the log's clock had leapt ahead, the bucket goes
    /// on from the earlier time: else it would not be refilled for as long as the leap was.
    mutating func advance(to now: LogTimestamp) {
        guard used > 0 else { return }
        guard now.milliseconds > time else {
            let (back, isOver) = time.subtractingReportingOverflow(now.milliseconds)
            if isOver || back > Self.elapsedMax { time = now.milliseconds }
            return
        }
        // Times of entries may be any numbers, and a bucket is full again after some seconds.
        let (difference, isOver) = now.milliseconds.subtractingReportingOverflow(time)
        let elapsed = isOver ? Self.elapsedMax : min(difference, Self.elapsedMax)
        used -= elapsed * Int64(Limits.notificationBytesPerSecond) / 1000
        time = now.milliseconds
        if used <= 0 { self = NotificationRate() }
    }

    /// Takes bytes at a time.
    mutating func take(_ bytes: Int, at now: LogTimestamp) {
        guard bytes > 0 else { return }
        if used == 0 { time = now.milliseconds }
        used += Int64(bytes)
    }
}
