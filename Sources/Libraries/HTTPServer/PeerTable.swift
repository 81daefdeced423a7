import Waiting

/// Connections of each address that has a share.
final class PeerTable: Sendable {
    private let counts = BusyMutex<[ClientAddress: Int]>([:])

    /// Counts one more, unless the address has so many.
    func enter(_ address: ClientAddress, of maximum: Int) -> Bool {
        counts.withLock { counts in
            let count = counts[address] ?? 0
            guard count < maximum else { return false }
            counts[address] = count + 1
            return true
        }
    }

    func leave(_ address: ClientAddress) {
        counts.withLock { counts in
            guard let count = counts[address] else { return }
            counts[address] = count > 1 ? count - 1 : nil
        }
    }
}
