/// The reason why there is no request for a push.
struct PushRefusal: Error {
    /// A push whose address is of another provider's kind.
    static let otherKind = PushRefusal(dropping: "other-kind")

    let outcome: PushOutcome

    /// The push is dropped: no provider would take it.
    init(dropping reason: String) { outcome = .dropped(PushFailure(reason: reason)) }

    init(_ outcome: PushOutcome) { self.outcome = outcome }
}
