import CloudMessages
import CloudModel
import EventLog
import Stages
import Synchronization

/// The position of stage 1 in a partition: of new changes, and of backfills. Both are one value, committed together; a
/// backfill is in it as sources that no change has, and so is where the rates of hits are counted from.
final class PartitionPosition: Sendable {
    private struct State {
        var live: LogPosition
        /// The creation of the last subscription whose share of this partition is done, by store, and the progress of
        /// the next.
        var done: [UInt64: CommitSequence]
        var current: SourcePosition?
        /// The place at which the counting in the window of the position began; nil where nobody noted it.
        var counted: HitRates.Start?
    }

    private let partition: TopicPartition
    private let committer: PositionCommitter
    private let state: Mutex<State>

    /// Splits a committed position.
    /// - Parameter isElsewhere: true if it was committed in a topic that was deleted since: an open backfill starts
    ///   again.
    init(
        _ position: LogPosition, of partition: TopicPartition, isElsewhere: Bool = false, _ committer: PositionCommitter
    ) {
        self.partition = partition
        self.committer = committer
        let past = position.seen.values.filter { Self.isOfPast($0.source) }
        state = Mutex(
            State(
                live: Self.live(of: position),
                done: Dictionary(
                    uniqueKeysWithValues: past.filter { $0.source.origin == Self.doneOrigin }
                        .map { ($0.source.incarnation, CommitSequence($0.offset)) }),
                current: isElsewhere ? nil : past.first { $0.source.origin == Self.currentOrigin },
                counted: isElsewhere
                    ? nil
                    : past.first {
                        $0.source.origin == Self.countedOrigin
                            && $0.source.incarnation == UInt64(bitPattern: position.offset)
                    }.map { HitRates.Start(offset: $0.offset, window: Int64($0.index)) }))
    }

    private static let doneOrigin = SourceID.pastDoneOrigin
    /// Names the creation of a subscription, and the offset to go on from.
    private static let currentOrigin = "past.at"
    /// Names the offset that it was noted at: in a position that somebody else went on from it says nothing.
    private static let countedOrigin = "rate.from"

    /// A committed position without what it says of the past and of rates.
    static func live(of position: LogPosition) -> LogPosition {
        LogPosition(
            offset: position.offset, seen: position.seen.filter { !isOfPast($0.key) },
            incarnation: position.incarnation)
    }

    /// A committed position in a recreated topic: an open backfill has no place in it.
    static func restarted(from offset: Int64, _ committed: LogPosition?, incarnation: UInt64 = 0) -> LogPosition {
        LogPosition(
            offset: offset, seen: (committed?.seen ?? [:]).filter { $0.key.origin != currentOrigin },
            incarnation: incarnation)
    }

    private static func isOfPast(_ source: SourceID) -> Bool {
        [doneOrigin, currentOrigin, countedOrigin].contains(source.origin)
    }

    /// The position in new changes.
    var live: LogPosition { state.withLock { $0.live } }

    /// The creation of the last subscription whose share of this partition is done, by store.
    var done: [UInt64: CommitSequence] { state.withLock { $0.done } }

    /// The offset to go on from in the share of the subscription of a creation; nil when it has not begun.
    func offset(of created: CommitSequence) -> Int64? {
        state.withLock { state in
            guard let current = state.current, current.source.incarnation == UInt64(created.rawValue) else {
                return nil
            }
            return current.offset
        }
    }

    /// The place at which the former owner began to count hits in the position's window; nil where nobody noted it.
    var counted: HitRates.Start? { state.withLock { $0.counted } }

    /// Notes a position in new changes, whose outputs are all acknowledged.
    /// - Parameter counted: where the counting in the position's window began.
    func note(_ position: LogPosition, counted: HitRates.Start?) {
        note { ($0.live, $0.counted) = (position, counted) }
    }

    /// Notes the progress of a subscription's share.
    func note(_ offset: Int64, of created: CommitSequence) {
        let source = SourceID(
            origin: Self.currentOrigin, incarnation: UInt64(created.rawValue), partition: partition.partition)
        note { $0.current = SourcePosition(source: source, offset: offset) }
    }

    /// Notes that the share of a subscription is done.
    func noteDone(_ created: CommitSequence, store: UInt64) {
        note {
            $0.done[store] = created
            $0.current = nil
        }
    }

    /// The whole, as it is committed.
    var position: LogPosition { state.withLock { position($0) } }

    private func position(_ state: State) -> LogPosition {
        var position = state.live
        for (store, created) in state.done {
            let source = SourceID(origin: Self.doneOrigin, incarnation: store, partition: partition.partition)
            _ = position.advance(to: SourcePosition(source: source, offset: created.rawValue))
        }
        if let current = state.current { _ = position.advance(to: current) }
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
