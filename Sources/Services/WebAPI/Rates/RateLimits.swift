/// The rates at which senders may ask; a rate of 0 is no limit. Each may be exceeded for a moment: ten seconds' worth
/// is there at first, and again after a rest.
package struct RateLimits: Hashable, Sendable {
    /// The rates of one kind of sender, each a second.
    package struct Rates: Hashable, Sendable {
        /// Requests.
        package var requests: Double
        /// Bytes of bodies and answers.
        package var bytes: Double
        /// Cost of requests: see `RequestCost`.
        package var cost: Double

        package init(requests: Double = 0, bytes: Double = 0, cost: Double = 0) {
            self.requests = requests
            self.bytes = bytes
            self.cost = cost
        }

        subscript(measure: RateMeasure) -> Double {
            switch measure {
            case .requests: requests
            case .bytes: bytes
            case .cost: cost
            }
        }

        var isOff: Bool { requests <= 0 && bytes <= 0 && cost <= 0 }
    }

    /// Seconds' worth that may be taken at once.
    static let burstSeconds = 10.0

    /// One signed-in user, or all requests with an API token alone from one address.
    package var user = Rates()
    /// One API token or server-to-server key, all its users together.
    package var credential = Rates()
    /// One address, but those of this machine.
    package var address = Rates()
    /// Requests of one address, also of this machine, that show no good credentials.
    package var refusedPerSecond = 0.0
    /// Requests that one user, or visitor, may have held at once: long polls, streams and web couriers; 0 is no bound.
    package var heldOfUser = 0
    /// The same of one API token.
    package var heldOfCredential = 0

    /// No limits.
    package init() {}
}

/// The quantities that rates limit.
enum RateMeasure: CaseIterable {
    case requests, bytes, cost

    var name: String {
        switch self {
        case .requests: "requests"
        case .bytes: "bytes"
        case .cost: "work"
        }
    }
}
