/// The kinds of change that a query subscription fires on. The bits of CloudKit's events are those of its native
/// options (docs/cloudkit.md#subscription-options).
package struct FiringEvents: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A record that satisfies the query was created.
    package static let create = FiringEvents(rawValue: 1)
    /// A record that satisfies the query was changed.
    package static let update = FiringEvents(rawValue: 2)
    /// A record that satisfied the query was deleted.
    package static let delete = FiringEvents(rawValue: 4)

    /// A record began to satisfy the query: by its creation or by a change. Ours; CloudKit's bit 8 is `firesOnce`.
    package static let enter = FiringEvents(rawValue: 16)
    /// A record ceased to satisfy the query: by a change or by its deletion. Ours.
    package static let leave = FiringEvents(rawValue: 32)

    /// CloudKit's names and ours, in the order in which answers list them.
    package static let names: [(event: FiringEvents, name: String)] = [
        (.create, "create"), (.update, "update"), (.delete, "delete"), (.enter, "enter"), (.leave, "leave"),
    ]
}
