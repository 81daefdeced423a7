import CloudModel

/// How far a change feed has been read.
struct SyncPosition: Hashable, Sendable {
    /// All changes up to this one have been read.
    var sequence: CommitSequence
    /// The last change there was when a reading without a token began: what was deleted before it was never read, so that
    /// those deletions are left out, and nothing is missed where they are no longer known.
    var began = CommitSequence.zero
    /// Of a reading from the newest to the oldest: changes from this one on have been read, too.
    var below: CommitSequence?
    /// Where that reading goes on when it has come to its end.
    var top = CommitSequence.zero

    /// A reading without a token, of a feed whose last change is `changed`.
    static func start(_ changed: CommitSequence) -> SyncPosition { SyncPosition(sequence: .zero, began: changed) }

    /// Up to where deletions have to be known for nothing to be missed.
    var covered: CommitSequence { max(sequence, began) }
}
