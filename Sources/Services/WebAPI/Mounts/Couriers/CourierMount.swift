import CloudModel
import HTTPServer
import RecordService

/// The address of web couriers. Its token is the secret, so that no credentials are needed, and pages of any origin may use it.
struct CourierMount: Mount {
    let scopes: ScopeTable
    let rates: RateGuard

    var routes: [Route] {
        [
            Route(
                "aps", title: "the web courier", path: PathPattern(CourierPoll.path),
                origins: .any(exposing: ["apns-push-type", "apns-priority", RequestID.header]),
                work: .held { request, _ in try await poll(request) })
        ]
    }

    private func poll(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = request.queryValue("tok") ?? ""
        guard let scope = scopes.all.first(where: { $0.records.knowsCourier(token) }) else {
            throw CloudError(.accessDenied, "tok is no token of a web courier; ask tokens/create for one")
        }
        return try await CourierPoll(token: token, scope: scope, rates: rates).answer()
    }
}
