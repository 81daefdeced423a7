/// The name of a topic, as the log knows it: 1 to 249 letters, digits, `.`, `_` and `-` (Kafka's rule).
package struct TopicName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: String

    /// Takes a name; that it is a legal one is checked in debug builds only, as names are built from checked parts.
    package init(_ rawValue: String) {
        assert((1...249).contains(rawValue.utf8.count), "a topic's name has 1 to 249 characters: \(rawValue)")
        self.rawValue = rawValue
    }

    package static func < (left: TopicName, right: TopicName) -> Bool { left.rawValue < right.rawValue }

    package var description: String { rawValue }
}
