package import CloudModel

/// The result of sending a push once.
package enum PushOutcome: Hashable, Sendable {
    /// The provider has it, and answered with this status.
    case accepted(status: Int)
    /// The push is dropped; the address stays.
    case dropped(PushFailure)
    /// The address is dead, by the word of the provider alone.
    /// - since: the time at which it was; an address that was registered later stays. Nil believes it in any case.
    case gone(PushFailure, since: Timestamp?)
    /// The address looks dead, but a wrong setting of the operator's would look the same: `AddressDoubt` decides.
    case doubtful(PushFailure)
    /// The operator's settings are wrong: nothing is sent with this credential until a probe is accepted.
    case misconfigured(PushFailure)
    /// The push is sent again, without contents: it was too large.
    case tooLarge(PushFailure)
    /// The push is sent again later.
    case failed(PushFailure, PushRetry)
}

extension PushOutcome {
    /// True if the provider has it.
    package var isAccepted: Bool { failure == nil }

    /// The status of the answer; nil where none came.
    package var status: Int? {
        if case .accepted(let status) = self { status } else { failure?.status }
    }

    /// The failure; nil for a push that the provider took.
    package var failure: PushFailure? {
        switch self {
        case .accepted: nil
        case .dropped(let failure), .gone(let failure, _), .doubtful(let failure), .misconfigured(let failure),
            .tooLarge(let failure), .failed(let failure, _):
            failure
        }
    }
}

/// The reason of an outcome, for metrics, `explain` and operators. It never has a token, a user or a host.
package struct PushFailure: Hashable, Sendable {
    /// The status of the answer; nil where none came.
    package var status: Int?
    /// A word of a closed set: the provider's reason, if it is one that is known, or the kind of the failure.
    package var reason: String

    package init(status: Int? = nil, reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// The time at which a push that failed is sent again.
package enum PushRetry: Hashable, Sendable {
    /// At once, on another connection: the provider certainly did not process it.
    case atOnce
    /// Once at once, then with a pause that grows: nobody knows whether the provider processed it. Counts against the
    /// line.
    case line(after: Duration?)
    /// With a pause that grows, for this address alone.
    case address(after: Duration?)
}
