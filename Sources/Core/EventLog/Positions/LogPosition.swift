/// A reader's place in an output partition: the next offset, and the last source position it has seen of each source.
///
/// It is one value because both halves belong together: groups commit it in one write, change tokens seal it, and a
/// reader that had only the offset would take a writer's duplicates for news.
package struct LogPosition: Hashable, Sendable {
    /// The offset to read from next.
    package var offset: Int64
    /// The last position seen of each source.
    package private(set) var seen: [SourceID: SourcePosition]

    package init(offset: Int64, seen: [SourceID: SourcePosition] = [:]) {
        self.offset = offset
        self.seen = seen
    }

    /// Takes note of an entry's name.
    /// - Returns: true if the entry is news; one that does not advance is a duplicate and must be dropped.
    package mutating func advance(to position: SourcePosition) -> Bool {
        if let last = seen[position.source], !position.isAbove(last), !Mistake.repeatsAreNews.isMade { return false }
        seen[position.source] = position
        return true
    }
}
