import Dispatch

/// Signals for one thread, which blocks until the next one. Those that come before are counted.
package struct ThreadSignal: Sendable {
    private let count = DispatchSemaphore(value: 0)

    package init() {}

    /// Wakes the thread, or lets its next wait return at once.
    package func signal() { count.signal() }

    /// Waits for a signal. Not on Swift's pool.
    package func wait() { count.wait() }

    /// Waits for a signal for so many seconds of the machine's. Returns false without one. Not on Swift's pool.
    package func wait(seconds: Int) -> Bool { count.wait(timeout: .now() + .seconds(seconds)) == .success }
}
