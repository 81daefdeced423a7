import EventLog
import Synchronization
import Waiting

/// A reader of one partition. One that began at a leader which does not know the last entries stays with it.
final class SimulatedFollower: LogFollower {
    private struct State {
        var offset: Int64
        var hasReportedEnd = false
        var isClosed = false
    }

    private let port: SimulatedPort
    private let partition: TopicPartition
    private let incarnation: UInt64
    private let isWithOldLeader: Bool
    private let state: Mutex<State>

    init(_ port: SimulatedPort, _ partition: TopicPartition, from offset: Int64) throws {
        self.port = port
        self.partition = partition
        incarnation = try port.log.contents.withLock { contents in
            _ = try contents.partition(partition)
            return contents.topics[partition.topic]!.incarnation
        }
        isWithOldLeader = Scheduler.shared.chance(oneIn: 2)
        state = Mutex(State(offset: offset))
    }

    func next() async throws -> LogBatch {
        let fault = try await port.enter("next")
        if fault == .failsAfter || fault == .failsWithin { throw LogError.unavailable("the history wants it so") }
        let batch = try await port.log.bell.wait(for: partition) { try take() }
        if port.life.isDead { throw LogError.closed }
        return batch
    }

    func close() {
        state.withLock { $0.isClosed = true }
        port.log.bell.ring(partition)
    }

    private func take() throws -> LogBatch? {
        let held = try port.log.contents.withLock { contents in
            let held = try contents.partition(partition)
            guard contents.topics[partition.topic]?.incarnation == incarnation else {
                throw LogError.unknownTopic("\(partition)")
            }
            return held
        }
        return try state.withLock { state in
            if state.isClosed || port.life.isDead { throw LogError.closed }
            guard state.offset >= held.start, state.offset <= held.end else {
                throw LogError.offsetOutOfRange(
                    partition, requested: state.offset, bounds: OffsetBounds(start: held.start, end: held.end))
            }
            let end = isWithOldLeader ? held.oldEnd ?? held.end : held.end
            let maximum = 1 + Scheduler.shared.random(below: 6)
            let entries = Array(held.entries.filter { $0.offset >= state.offset && $0.offset < end }.prefix(maximum))
            let next = entries.last.map { $0.offset + 1 } ?? state.offset
            let isAtEnd = next >= end
            if entries.isEmpty && state.hasReportedEnd { return nil }
            state.offset = next
            state.hasReportedEnd = isAtEnd
            return LogBatch(entries: entries, nextOffset: next, isAtEnd: isAtEnd)
        }
    }
}
