import Synchronization

/// One who asked a `WorkPool` for work: whether its task was cancelled, and its place in the line.
final class WorkTicket: Sendable {
    private enum Alarm {
        case none
        case set(AlarmClock.Alarm)
        case over
    }

    /// The number in the line, 0 while there is none; changed and read under the pool's lock.
    let number = Atomic<UInt64>(0)
    private let cancelled = Atomic(false)
    private let alarm = Mutex(Alarm.none)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Keeps an alarm until it is dropped; returns it when it was dropped before.
    func keep(_ alarm: AlarmClock.Alarm) -> AlarmClock.Alarm? {
        self.alarm.withLock { state in
            if case .over = state { return alarm }
            state = .set(alarm)
            return nil
        }
    }

    /// The alarm to take back, and none is kept from now on.
    func dropAlarm() -> AlarmClock.Alarm? {
        alarm.withLock { state in
            defer { state = .over }
            if case .set(let alarm) = state { return alarm }
            return nil
        }
    }
}
