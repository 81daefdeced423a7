import CRDKafka
import Dispatch
import Synchronization

/// A signal that a thread sleeps on: any thread, also librdkafka's, may give it; many signals wake it once.
final class Wakeup: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isSignalled = Atomic(false)

    /// Wakes the sleeper, or keeps it from falling asleep the next time.
    func signal() {
        if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
    }

    /// Sleeps until a signal or for `milliseconds`. Writes before a signal are visible after it.
    func wait(milliseconds: Int) {
        guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return }
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Signals whenever something arrives in `queue` while it is empty. It must be detached before the queue's last
    /// reference goes, and this object must live until then.
    func attach(to queue: OpaquePointer) {
        rd_kafka_queue_cb_event_enable(
            queue,
            { _, wakeup in Unmanaged<Wakeup>.fromOpaque(wakeup!).takeUnretainedValue().signal() },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends what `attach` began.
    static func detach(from queue: OpaquePointer) {
        rd_kafka_queue_cb_event_enable(queue, nil, nil)
    }
}
