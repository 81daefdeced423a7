import CloudModel

/// A position in a change feed.
struct SyncPosition: Hashable, Sendable {
    /// The change up to which all have been read.
    var sequence: CommitSequence
    /// The last change when a walk without a token started. Deletions before it are left out, as their records were
    /// never read, and none is missed if it is not known any more.
    var began = CommitSequence.zero
    /// The change from which on all have been read, too, by a reading from the newest to the oldest.
    var below: CommitSequence?
    /// The change from which a reading goes on when that one has come to its end.
    var top = CommitSequence.zero
    /// Of a query: the time of the last commit.
    var committed = Timestamp(milliseconds: 0)

    /// A reading without a token, of a feed whose last change is `changed`.
    static func start(_ changed: CommitSequence) -> SyncPosition { SyncPosition(sequence: .zero, began: changed) }

    /// Up to where deletions have to be known for nothing to be missed.
    var covered: CommitSequence { max(sequence, began) }
}
