import CloudModel

/// The open backfills of a lane, as the table of subscriptions has them.
struct LaneBackfills: Sendable {
    /// The store that numbered the subscriptions: sequences of another one cannot be compared.
    let store: UInt64
    /// The creation of the last one.
    let last: CommitSequence
    /// All of them, deleted ones too, by their creation: each gets a mark.
    private(set) var marks: [BackfillList.Item]
    /// Those that are not deleted.
    private(set) var alive: [SavedSubscription]

    init(store: UInt64, last: CommitSequence, marks: [BackfillList.Item], alive: [SavedSubscription]) {
        self.store = store
        self.last = last
        self.marks = marks
        self.alive = alive
    }

    /// The time from which on one of them wants changes; nil if all were deleted.
    var from: Timestamp? { alive.compactMap { $0.subscription.backfill?.from }.min() }

    /// Those of a pass: the ones that were created up to its end.
    /// - Parameter isConcerned: true for those that changes of the partition may concern; others have marks only.
    func upTo(_ end: CommitSequence, where isConcerned: (SavedSubscription) -> Bool) -> LaneBackfills {
        var part = self
        part.marks.removeAll { $0.created > end }
        part.alive.removeAll { $0.created > end || !isConcerned($0) }
        return part
    }
}
