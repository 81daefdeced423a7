/// A node of a predicate with its outcome for one record.
package struct PredicateOutcome: Hashable, Sendable {
    /// The kinds of nodes.
    package enum Kind: String, Hashable, Sendable {
        /// It holds for every record.
        case always
        case all, any, not, comparison
    }

    /// The kind of the node.
    package var kind: Kind
    /// Indicates whether the node holds.
    package var holds: Bool
    /// Indicates whether the node decided: with another outcome of it, the whole predicate would have another one. One
    /// node decides: the lowest of those that the whole rests on alone.
    package var decides = false
    /// The comparison; nil for other kinds.
    package var comparison: Predicate.Comparison?
    /// The record's value of the compared field; nil if the record lacks it, and for other kinds.
    package var value: FieldValue?
    /// The nodes below.
    package var parts: [PredicateOutcome] = []

    package init(_ kind: Kind, holds: Bool) {
        self.kind = kind
        self.holds = holds
    }
}
