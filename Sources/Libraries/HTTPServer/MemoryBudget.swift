import Synchronization
import Waiting

/// Bytes that all requests of a server may have in memory together, with a share of them for each sender; used from any
/// thread.
final class MemoryBudget: Sendable {
    /// The account that bytes are counted to, in addition to the total.
    enum Account: Hashable {
        case address(ClientAddress)
        /// The name that the handler gives its callers.
        case named(String)
    }

    /// A part of the budget, returned when the last reference is released.
    final class Reservation: Sendable {
        private let budget: MemoryBudget
        private let accounts: [Account]
        private let taken = Atomic(0)

        fileprivate init(_ budget: MemoryBudget, _ accounts: [Account]) {
            self.budget = budget
            self.accounts = accounts
        }

        /// Makes the part at least so large, or leaves it as it is and returns false. One thread at a time.
        func grow(to bytes: Int) -> Bool {
            let before = taken.load(ordering: .relaxed)
            guard bytes > before else { return true }
            guard budget.take(from: before, to: bytes, accounts) else { return false }
            taken.store(bytes, ordering: .relaxed)
            return true
        }

        deinit { budget.give(taken.load(ordering: .relaxed), accounts) }
    }

    /// The size above which a request leaves a quarter of the budget to smaller ones.
    private static let smallBytes = 256 << 10
    /// The size below which nothing is counted: counting would cost more than keeping.
    private static let uncountedBytes = 4 << 10

    private let maximum: Int
    private let shareOfName: Int
    private let shareOfAddress: Int
    private let used = Atomic(0)
    private let shares = BusyMutex<[Account: Int]>([:])

    /// - Parameters:
    ///   - shareOfName: bytes of one named account.
    ///   - shareOfAddress: bytes of one address.
    init(maximum: Int, shareOfName: Int, shareOfAddress: Int) {
        self.maximum = maximum
        self.shareOfName = shareOfName
        self.shareOfAddress = shareOfAddress
    }

    /// The bytes that all have together.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    /// A part without bytes yet.
    func reservation(for accounts: [Account]) -> Reservation { Reservation(self, accounts) }

    /// A part of so many bytes; nil when there is no room for it now.
    func reserve(_ bytes: Int, for accounts: [Account]) -> Reservation? {
        let reservation = Reservation(self, accounts)
        return reservation.grow(to: bytes) ? reservation : nil
    }

    /// Returns true if there would be room for so many bytes now; takes none of it.
    func hasRoom(_ bytes: Int, for accounts: [Account]) -> Bool {
        used.load(ordering: .relaxed) + bytes <= limit(bytes)
            && (bytes <= Self.uncountedBytes
                || shares.withLock { shares in accounts.allSatisfy { (shares[$0] ?? 0) + bytes <= share($0) } })
    }

    private func limit(_ total: Int) -> Int { total > Self.smallBytes ? maximum / 4 * 3 : maximum }

    private func share(_ account: Account) -> Int {
        if case .named = account { shareOfName } else { shareOfAddress }
    }

    private static func counted(_ bytes: Int) -> Int { bytes <= uncountedBytes ? 0 : bytes }

    private func take(from before: Int, to bytes: Int, _ accounts: [Account]) -> Bool {
        guard used.add(bytes - before, ordering: .relaxed).newValue <= limit(bytes) else {
            used.subtract(bytes - before, ordering: .relaxed)
            return false
        }
        let counted = Self.counted(bytes) - Self.counted(before)
        guard counted > 0, !accounts.isEmpty else { return true }
        let hasShare = shares.withLock { shares in
            for account in accounts where (shares[account] ?? 0) + counted > share(account) { return false }
            for account in accounts { shares[account, default: 0] += counted }
            return true
        }
        if !hasShare { used.subtract(bytes - before, ordering: .relaxed) }
        return hasShare
    }

    private func give(_ bytes: Int, _ accounts: [Account]) {
        used.subtract(bytes, ordering: .relaxed)
        let counted = Self.counted(bytes)
        guard counted > 0, !accounts.isEmpty else { return }
        shares.withLock { shares in
            for account in accounts {
                let left = shares[account, default: 0] - counted
                shares[account] = left > 0 ? left : nil
            }
        }
    }
}
