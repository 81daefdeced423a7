import CloudModel
import EventLog

/// Reads a partition for the lane whose turn it is. It stays open between two turns of one lane.
struct PastReader {
    private let log: any EventLog
    private let partition: TopicPartition
    private var open: (lane: UInt64, follower: any LogFollower)?
    private var rest: ArraySlice<LogEntry> = []
    private var end: Int64 = 0

    init(_ log: any EventLog, _ partition: TopicPartition) {
        self.log = log
        self.partition = partition
    }

    /// The offset of the next entry.
    var next: Int64 { rest.first?.offset ?? end }

    /// Goes on where the pass of a lane is, or begins one.
    /// - Parameter from: the time from which on changes are wanted.
    mutating func begin(_ lane: PastLane, from: Timestamp?) async throws {
        if open?.lane == lane.id, lane.pass?.next == next { return }
        close()
        var start: Int64
        if let next = lane.pass?.next {
            start = max(next, try await log.bounds(of: [partition])[partition]?.start ?? next)
        } else {
            start = try await PastSearch(log: log, partition: partition).offset(of: from)
        }
        open = (lane.id, try await log.follow(partition, from: start))
        end = start
    }

    /// The next entries, waited for; they are next until they are skipped.
    mutating func entries(_ count: Int) async throws -> ArraySlice<LogEntry> {
        while rest.isEmpty, let follower = open?.follower {
            let batch = try await follower.next()
            (rest, end) = (batch.entries[...], batch.nextOffset)
        }
        return rest.prefix(count)
    }

    /// Goes on behind entries.
    mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

    /// Ends the reading.
    mutating func close() {
        open?.follower.close()
        (open, rest) = (nil, [])
    }
}
