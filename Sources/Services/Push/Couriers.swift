package import CloudModel
package import Cryptography

/// The couriers of one container's environment.
package struct Couriers: Sendable {
    /// The courier that clients poll.
    package let web: WebCourier
    /// All couriers, at most one of each kind.
    package let all: [any Courier]

    /// Makes them.
    package init(_ keys: KeyRing, scope: ContainerEnvironment) {
        web = WebCourier(keys, scope: scope)
        // A new kind is listed here.
        all = [web]
    }

    /// Returns the address of a token, whichever courier it is of; nil for any other text.
    package func address(of token: String) -> CourierAddress? {
        for courier in all {
            if let address = courier.address(of: token) { return address }
        }
        return nil
    }
}
