import Synchronization

/// The times at which connections were opened, the newest ones: written by the client's thread, read by any.
final class ConnectionLog: Sendable {
    private static let timesMaximum = 64

    private let times = Mutex<[ContinuousClock.Instant]>([])

    func append(_ time: ContinuousClock.Instant) {
        times.withLock { times in
            if times.count == Self.timesMaximum { times.removeFirst() }
            times.append(time)
        }
    }

    func count(within time: Duration) -> Int {
        let start = ContinuousClock.now - time
        return times.withLock { $0.count { $0 >= start } }
    }
}
