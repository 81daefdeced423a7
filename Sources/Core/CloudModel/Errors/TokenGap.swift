/// The part of a feed that a reader with an expired change token can no longer get.
package struct TokenGap: Hashable, Sendable {
    /// The time of the last entry that the reader had got; nil when that is not known.
    package var from: Timestamp?
    /// The time of the first entry after the gap; nil when nothing is kept after it.
    package var until: Timestamp?
    /// The number of removed entries, also of those that are no notifications; nil if it is unknown.
    package var entries: Int64?

    package init(from: Timestamp?, until: Timestamp?, entries: Int64?) {
        self.from = from
        self.until = until
        self.entries = entries
    }
}
