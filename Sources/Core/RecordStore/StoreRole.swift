/// A process's part in a store.
package enum StoreRole: Sendable {
    /// The one record service that serves requests and publishes the outbox. A second one is refused with
    /// `StoreError.owned`; the role ends with the process, however that ends.
    case owner
    /// An administration command beside the owner. The store must exist.
    case visitor
}
