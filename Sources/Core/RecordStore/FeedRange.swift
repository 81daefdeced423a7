package import CloudModel

/// An entry of a zone's change feed: the last change of one record.
package struct FeedRecord: Hashable, Sendable {
    /// The record's name.
    package var name: RecordName
    /// Its type, which a deleted one had.
    package var type: RecordType
    /// Its last change.
    package var sequence: CommitSequence
    /// The record; nil when it was deleted.
    package var body: [UInt8]?
    /// Of a deleted record: the shared records that it was below, or itself.
    package var roots: [RecordName]

    package init(name: RecordName, type: RecordType, sequence: CommitSequence, body: [UInt8]?, roots: [RecordName] = [])
    {
        self.name = name
        self.type = type
        self.sequence = sequence
        self.body = body
        self.roots = roots
    }
}

/// A range of a zone's change feed.
package struct FeedRange: Hashable, Sendable {
    /// Changes after this one,
    package var after: CommitSequence
    /// and before this one; nil means up to the last.
    package var before: CommitSequence?
    /// Deletions up to this one are left out.
    package var deletionsAfter: CommitSequence
    /// The types of the records; nil is all.
    package var types: [RecordType]?
    /// True if the newest comes first.
    package var isReverse: Bool
    /// Bytes of records; the one that goes beyond them is the last.
    package var bytesMax: Int

    package init(
        after: CommitSequence, before: CommitSequence? = nil, deletionsAfter: CommitSequence,
        types: [RecordType]? = nil,
        isReverse: Bool = false, bytesMax: Int = .max
    ) {
        self.after = after
        self.before = before
        self.deletionsAfter = deletionsAfter
        self.types = types
        self.isReverse = isReverse
        self.bytesMax = bytesMax
    }
}
