import CloudMessages
import CloudModel
import EventLog
import Stages
import Synchronization

/// The position of stage 1 in a partition: of new changes, and of backfills. Both are one value, committed together;
/// backfills are in it as sources that no change has, and so is where the rates of hits are counted from.
final class PartitionPosition: Sendable {
    private struct State {
        var live: LogPosition
        var past: PastProgress
        /// The place at which the counting in the window of the position began; nil where nobody noted it.
        var counted: HitRates.Start?
    }

    private let partition: TopicPartition
    private let committer: PositionCommitter
    private let state: Mutex<State>

    /// Splits a committed position.
    /// - Parameter isElsewhere: true if it was committed in a topic that was deleted since, or that has lost entries: passes over
    ///   backfills start again.
    init(
        _ position: LogPosition, of partition: TopicPartition, isElsewhere: Bool = false, _ committer: PositionCommitter
    ) {
        self.partition = partition
        self.committer = committer
        let counted = position.seen.values.first {
            $0.source.origin == Self.countedOrigin && $0.source.incarnation == UInt64(bitPattern: position.offset)
        }
        state = Mutex(
            State(
                live: Self.live(of: position),
                past: PastProgress(isElsewhere ? Self.restarted(from: position.offset, position) : position),
                counted: isElsewhere ? nil : counted.map { HitRates.Start(offset: $0.offset, window: Int64($0.index)) })
        )
    }

    /// Names the offset that it was noted at: in a position that somebody else went on from it says nothing.
    private static let countedOrigin = "rate.from"

    /// A committed position without what it says of backfills and of rates.
    static func live(of position: LogPosition) -> LogPosition {
        LogPosition(
            offset: position.offset,
            seen: position.seen.filter { !PastProgress.isOf($0.key) && $0.key.origin != countedOrigin },
            incarnation: position.incarnation, marks: position.marks)
    }

    /// A committed position in a recreated topic: a pass over backfills has no place in it.
    static func restarted(from offset: Int64, _ committed: LogPosition?, incarnation: UInt64 = 0) -> LogPosition {
        LogPosition(
            offset: offset, seen: (committed?.seen ?? [:]).filter { !PastProgress.isOfPass($0.key) },
            incarnation: incarnation)
    }

    /// The position in new changes.
    var live: LogPosition { state.withLock { $0.live } }

    /// The progress in backfills.
    var past: PastProgress { state.withLock { $0.past } }

    /// The place at which the former owner began to count hits in the position's window; nil where nobody noted it.
    var counted: HitRates.Start? { state.withLock { $0.counted } }

    /// Notes a position in new changes, whose outputs are all acknowledged.
    /// - Parameters:
    ///   - counted: where the counting in the position's window began.
    ///   - time: the log's time of the last entry before it; nil where there is none.
    func note(_ position: LogPosition, counted: HitRates.Start?, at time: LogTimestamp? = nil) {
        note {
            ($0.live, $0.counted) = (position, counted)
            if let time { $0.past.advance(to: time) }
        }
    }

    /// Notes progress in backfills, whose outputs are all acknowledged.
    func notePast(_ change: (inout PastProgress) -> Void) { note { change(&$0.past) } }

    /// The whole, as it is committed.
    var position: LogPosition { state.withLock { position($0) } }

    private func position(_ state: State) -> LogPosition {
        var position = state.live
        for source in state.past.sources(partition.partition) { _ = position.advance(to: source) }
        if let counted = state.counted {
            let source = SourceID(
                origin: Self.countedOrigin, incarnation: UInt64(bitPattern: position.offset),
                partition: partition.partition)
            let index = Int32(clamping: counted.window)
            _ = position.advance(to: SourcePosition(source: source, offset: counted.offset, index: index))
        }
        return position
    }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            committer.note(position(state), of: partition)
        }
    }
}
