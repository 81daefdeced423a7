package import EventLog
import Timing

extension EventLog {
    /// Starts to read a partition of a source at a committed position; at the partition's start if there is none, or if
    /// it was committed in an earlier topic of that name, whose offsets mean nothing then. Seen positions stay seen.
    ///
    /// Where the partition has lost the entries before the position, and may have others there, it starts behind the last
    /// one that it still has of those that the position names, or at its start: names make repeats harmless.
    ///
    /// The topic is described after reading has started: described before, it could be replaced in between, and its
    /// entries would get the names of the old one's.
    /// - Parameter start: starts to read from an offset on.
    /// - Returns: the position, which names the topic; the follower; and the lost entries, nil if there are none.
    package func follow(
        _ partition: TopicPartition, from committed: LogPosition?,
        by start: (_ offset: Int64) async throws -> any LogFollower
    ) async throws -> (position: LogPosition, follower: any LogFollower, lost: LostTail?) {
        var position = LogPosition(offset: 0)
        var lost: LostTail?
        if let committed { position = committed } else { try await goToStart(of: partition, &position) }
        while true {
            let started: Result<any LogFollower, any Error>
            do { started = .success(try await start(position.offset)) } catch { started = .failure(error) }
            do {
                let incarnation = try await incarnation(of: partition.topic)
                if position.isOf(incarnation) {
                    position.incarnation = incarnation
                    guard let tail = try await lostTail(of: partition, at: position) else {
                        return (position, try started.get(), lost)
                    }
                    lost = LostTail(partition: partition, from: tail.from, to: lost?.to ?? tail.to)
                    position.rewind(to: tail.from)
                } else {
                    lost = nil
                    try await goToStart(of: partition, &position)
                }
            } catch {
                try? started.get().close()
                throw error
            }
            try? started.get().close()
        }
    }

    /// The entries before a position that the partition has lost, as far as the position's marks show it; nil if it has
    /// the history that the position counts in.
    ///
    /// Another entry at the place of a mark proves a loss. An entry that is absent does not: a broker that was paused
    /// answers as of before. So the log is asked again after whiles, and all answers have to be the same.
    package func lostTail(of partition: TopicPartition, at position: LogPosition) async throws -> LostTail? {
        guard !Mistake.historyIsNotCompared.isMade, let latest = position.marks.first else { return nil }
        var looks = 0
        while true {
            guard let bounds = try await bounds(of: [partition])[partition], bounds.start <= latest.offset else {
                return nil
            }
            let (known, isProven) = try await lastKnown(of: position.marks, in: partition, bounds)
            if known == latest, position.offset <= bounds.end { return nil }
            looks += 1
            if isProven || looks == Self.looksMax || staleBoundsMax == .zero {
                return LostTail(
                    partition: partition, from: known.map { $0.offset + 1 } ?? bounds.start, to: position.offset)
            }
            try await Time.sleep(for: staleBoundsMax)
        }
    }

    /// Answers without an entry that the log is asked for, `staleBoundsMax` apart.
    private static var looksMax: Int { 3 }

    /// The latest of the marks whose entry the partition has, and whether another entry is at the place of a later one.
    private func lastKnown(
        of marks: [EntryMark], in partition: TopicPartition, _ bounds: OffsetBounds
    ) async throws -> (mark: EntryMark?, isProven: Bool) {
        var isProven = false
        for mark in marks where bounds.start <= mark.offset && mark.offset < bounds.end {
            guard let entry = try await entry(at: mark.offset, of: partition) else { continue }
            if EntryMark(entry) == mark { return (mark, isProven) }
            isProven = true
        }
        return (nil, isProven)
    }

    private func goToStart(of partition: TopicPartition, _ position: inout LogPosition) async throws {
        position.incarnation = try await incarnation(of: partition.topic)
        position.rewind(to: try await bounds(of: [partition])[partition]?.start ?? 0)
        position.forgetMarks(from: 0)
    }
}

/// The entries that a reader had read and that their partition has lost: it was restored from an older copy, all brokers
/// lost power, or one that lagged became the leader.
package struct LostTail: Hashable, Sendable, CustomStringConvertible {
    /// The partition.
    package var partition: TopicPartition
    /// The first offset at which it may have another entry than it had.
    package var from: Int64
    /// The offset up to which it was read.
    package var to: Int64

    package var description: String {
        "\(partition) was read up to offset \(to) and has another history from offset \(from) at the latest"
    }
}
