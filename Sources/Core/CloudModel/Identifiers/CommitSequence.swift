/// The place of a committed change, or of a subscription's save or deletion, in its store's one commit order.
///
/// The first is 1. Device events take numbers of the same row.
package struct CommitSequence: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Before the first.
    package static let zero = CommitSequence(0)

    package static func < (left: CommitSequence, right: CommitSequence) -> Bool { left.rawValue < right.rawValue }

    package var description: String { "\(rawValue)" }
}
