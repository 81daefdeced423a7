package import CloudModel

/// Matches by trying every subscription: slow and obvious, the twin that faster matching must agree with.
///
/// Subscriptions carry IDs that the caller chose.
package struct ReferenceMatcher: Sendable {
    private var subscriptions: [Int: Subscription] = [:]

    package init() {}

    /// The number of subscriptions.
    package var count: Int { subscriptions.count }

    /// Adds a subscription, or replaces the one of the same ID.
    package mutating func insert(_ subscription: Subscription, id: Int) { subscriptions[id] = subscription }

    /// Removes the subscription of this ID, if there is one.
    package mutating func remove(id: Int) { subscriptions[id] = nil }

    /// The IDs of the subscriptions that fire on the change, ascending.
    package func matches(of change: Change) -> [Int] {
        subscriptions.filter { $0.value.fires(on: change) }.map(\.key).sorted()
    }
}
