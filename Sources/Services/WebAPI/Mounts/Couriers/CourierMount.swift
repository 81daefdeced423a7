import CloudModel
import HTTPServer
import Push

/// The address of web couriers. Its token is the secret, so that no credentials are needed, and pages of any origin may
/// use it.
struct CourierMount: Mount {
    let scopes: ScopeTable
    let rates: RateGuard
    let works: Works

    var routes: [Route] {
        [
            Route(
                "aps", title: "the web courier", path: PathPattern(CourierPoll.path),
                origins: .any(exposing: ["apns-push-type", "apns-priority", "traceparent", RequestID.header]),
                reading: .none,
                admit: { head, visit throws(CloudError) in
                    let (scope, address) = try find(head)
                    let sender = Sender.user(scope.scope, address.user)
                    visit.note(sender, isGood: true)
                    try rates.begin(sender, nil)
                    return .body(maximumBytes: 0)
                },
                work: .held { request, visit in
                    let (scope, address) = try find(request.head)
                    return try await CourierPoll.answer(address, scope, works, rates: rates, rested: visit.rested)
                })
        ]
    }

    /// The container and environment that a request's token is of, and the address that it stands for.
    /// - Throws: `ACCESS_DENIED` for a text that is no such token.
    private func find(_ head: HTTPRequestHead) throws(CloudError) -> (scope: APIScope, address: CourierAddress) {
        let token = head.queryValue("tok") ?? ""
        for scope in scopes.all {
            if let address = scope.courierTokens.address(of: token) { return (scope, address) }
        }
        throw CloudError(.accessDenied, "tok is no token of a web courier; ask tokens/create for one")
    }
}
