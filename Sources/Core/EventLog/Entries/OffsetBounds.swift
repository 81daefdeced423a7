/// What a partition holds: offsets from `start` up to, not including, `end`.
package struct OffsetBounds: Hashable, Sendable {
    package var start: Int64
    package var end: Int64

    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}
