import CloudModel
import HTTPServer
import Push

/// The address of web couriers. Its token is the secret, so that no credentials are needed, and pages of any origin may use it.
struct CourierMount: Mount {
    let scopes: ScopeTable
    let rates: RateGuard

    var routes: [Route] {
        [
            Route(
                "aps", title: "the web courier", path: PathPattern(CourierPoll.path),
                origins: .any(exposing: ["apns-push-type", "apns-priority", "traceparent", RequestID.header]),
                work: .held { request, _ in try await poll(request) })
        ]
    }

    private func poll(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let (scope, address) = find(request.queryValue("tok") ?? "") else {
            throw CloudError(.accessDenied, "tok is no token of a web courier; ask tokens/create for one")
        }
        return try await CourierPoll(address: address, scope: scope, rates: rates).answer()
    }

    /// The container and environment that a token is of, and the address that it stands for.
    private func find(_ token: String) -> (scope: APIScope, address: CourierAddress)? {
        for scope in scopes.all {
            if let address = scope.couriers.web.address(of: token) { return (scope, address) }
        }
        return nil
    }
}
