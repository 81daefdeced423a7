import Dispatch

/// Threads that wait for each other.
final class Meeting: Sendable {
    private let group = DispatchGroup()

    init(_ count: Int) { for _ in 0..<count { group.enter() } }

    /// Blocks the thread until as many have come as were announced.
    func wait() {
        group.leave()
        group.wait()
    }
}
