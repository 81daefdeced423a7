import Synchronization

/// Bytes that all requests of a server may have in memory together; used from any thread.
final class MemoryBudget: Sendable {
    /// A share of the budget, given back when the last who holds it lets go.
    final class Reservation: Sendable {
        private let budget: MemoryBudget
        private let taken: Atomic<Int>

        fileprivate init(_ budget: MemoryBudget, _ bytes: Int) {
            self.budget = budget
            taken = Atomic(bytes)
        }

        /// Makes the share at least so large, or leaves it as it is and returns false. One thread at a time.
        func grow(to bytes: Int) -> Bool {
            let missing = bytes - taken.load(ordering: .relaxed)
            guard missing > 0 else { return true }
            guard budget.take(missing, of: bytes) else { return false }
            taken.add(missing, ordering: .relaxed)
            return true
        }

        deinit { budget.used.subtract(taken.load(ordering: .relaxed), ordering: .relaxed) }
    }

    /// What is larger than this leaves a quarter of the budget to what is smaller.
    private static let smallBytes = 256 << 10

    private let maximum: Int
    private let used = Atomic(0)

    init(maximum: Int) { self.maximum = maximum }

    /// A share of so many bytes; nil when there is no room for it now.
    func reserve(_ bytes: Int) -> Reservation? { take(bytes, of: bytes) ? Reservation(self, bytes) : nil }

    private func take(_ bytes: Int, of total: Int) -> Bool {
        let limit = total > Self.smallBytes ? maximum / 4 * 3 : maximum
        guard used.add(bytes, ordering: .relaxed).newValue <= limit else {
            used.subtract(bytes, ordering: .relaxed)
            return false
        }
        return true
    }
}
