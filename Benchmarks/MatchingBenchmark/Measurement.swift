import CMatchingLoop
import CloudModel
import Matching
import MatchingWorkload

/// One size of the workload, measured.
struct Measurement: ~Copyable {
    let subscriptions: Int
    let changes: [Change]
    var index = SubscriptionIndex()
    var insertSeconds = 0.0
    var deleteSeconds = 0.0
    var deletes = 0
    var matches = 0
    var checksum: UInt64 = 0
    /// Of each change in the last pass, ascending.
    var latencies: [Double] = []

    init(subscriptions: Int, changes: [Change]) {
        self.subscriptions = subscriptions
        self.changes = changes
    }

    /// Inserts all; subscriptions are made beforehand, piece by piece, and that does not count.
    mutating func insertAll() {
        Workload.beginSubscriptions()
        let piece = 10_000
        for first in stride(from: 0, to: subscriptions, by: piece) {
            let made = Workload.subscriptions(min(piece, subscriptions - first), from: first)
            insertSeconds += seconds {
                for (offset, subscription) in made.enumerated() { index.insert(subscription, id: first + offset) }
            }
        }
    }

    /// Removes every tenth, and inserts them again.
    mutating func deleteAndRestore() {
        Workload.beginSubscriptions()
        let piece = 10_000
        let before = insertSeconds
        for first in stride(from: 0, to: subscriptions, by: piece) {
            let made = Workload.subscriptions(min(piece, subscriptions - first), from: first)
            let chosen = stride(from: 0, to: made.count, by: 10)
            deleteSeconds += seconds { for offset in chosen { index.remove(id: first + offset) } }
            deletes += chosen.underestimatedCount
            for offset in chosen { index.insert(made[offset], id: first + offset) }
        }
        insertSeconds = before
    }

    /// Matches every change; time is that inside the match, as in C.
    mutating func pass() {
        var (matches, checksum, latencies) = (0, UInt64(0), [Double]())
        latencies.reserveCapacity(changes.count)
        for (number, change) in changes.enumerated() {
            let start = now()
            index.withMatches(of: change) { found in
                latencies.append(now() - start)
                matches += found.count
                for id in found { checksum &+= ckwl_term(UInt64(number), UInt64(id)) }
            }
        }
        self.matches = matches
        self.checksum = checksum
        self.latencies = latencies.sorted()
    }

    var p99Microseconds: Double { latencies[changes.count * 99 / 100] * 1e6 }
    var medianMicroseconds: Double { latencies[changes.count / 2] * 1e6 }
    var eventsPerSecond: Double { Double(changes.count) / latencies.reduce(0, +) }
}

func seconds(_ work: () -> Void) -> Double {
    let start = now()
    work()
    return now() - start
}
