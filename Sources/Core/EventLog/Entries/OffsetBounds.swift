/// The offsets that a partition holds: from `start` up to, not including, `end`.
package struct OffsetBounds: Hashable, Sendable {
    /// The offset of the first entry that is still kept.
    package var start: Int64
    /// The offset that the next entry will get.
    package var end: Int64

    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}
