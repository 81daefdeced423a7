import Synchronization

/// The text of a pattern of `LIKE`, with what matching makes of it: made once, for as long as the predicate lives.
package final class TextPattern: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The pattern as it was written.
    package let text: String
    private let prepared = AtomicLazyReference<LikePattern>()

    package init(_ text: String) { self.text = text }

    package convenience init(stringLiteral text: String) { self.init(text) }

    /// The pattern made ready for texts that are folded so; always by the same folding, that of its predicate.
    package func prepared(folded: (String) -> String) -> LikePattern {
        prepared.load() ?? prepared.storeIfNil(LikePattern(text, folded: folded))
    }

    package static func == (left: TextPattern, right: TextPattern) -> Bool { left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
