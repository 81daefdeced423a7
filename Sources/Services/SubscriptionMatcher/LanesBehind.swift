import CloudModel

/// Lanes whose subscriptions the table lacked when it had reached a sequence. They have no turn until it goes on: also
/// if it went on between the turn that was refused and the wait for the next one.
struct LanesBehind {
    private(set) var lanes: Set<UInt64> = []
    /// The sequence at which they were found behind.
    private(set) var reached = CommitSequence.zero

    /// Goes on to the sequence that the table has reached: beyond the last one, every lane may have a turn again.
    mutating func advance(to reached: CommitSequence) {
        guard reached > self.reached else { return }
        self.reached = reached
        lanes = []
    }

    /// Notes a lane as behind at `reached`.
    mutating func insert(_ lane: UInt64) { lanes.insert(lane) }
}
