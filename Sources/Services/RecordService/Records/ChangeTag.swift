import CloudModel

/// A record's change tag: the sequence of its last change in base 36, short and never used twice in a store.
enum ChangeTag {
    static func make(_ sequence: CommitSequence) -> String { String(sequence.rawValue, radix: 36) }
}
