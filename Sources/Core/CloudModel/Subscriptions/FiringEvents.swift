/// The kinds of change that a query subscription fires on. Bits are those of CloudKit's native options (spec section 1.2).
package struct FiringEvents: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A record that satisfies the query was created.
    package static let create = FiringEvents(rawValue: 1)
    /// A record that satisfies the query was changed.
    package static let update = FiringEvents(rawValue: 2)
    /// A record that satisfied the query was deleted.
    package static let delete = FiringEvents(rawValue: 4)

    /// CloudKit's names, in the order in which answers list them.
    package static let names: [(event: FiringEvents, name: String)] = [
        (.create, "create"), (.update, "update"), (.delete, "delete"),
    ]
}
