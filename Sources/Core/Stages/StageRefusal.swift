/// A refusal to work, as going on would lose or double something: trying again does not mend it, an operator does.
package struct StageRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason: what differs, and the command that mends it.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}
