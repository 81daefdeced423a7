import CloudModel
import HTTPServer
import RecordService

/// Who makes a request, as its query items say (spec section 5.14).
struct Credentials {
    let caller: Caller

    /// Checks the API token and, if there is one, the web auth token.
    /// - Throws: `AUTHENTICATION_REQUIRED`, `AUTHENTICATION_FAILED`, `BAD_REQUEST` for an impossible `clientId`.
    init(_ request: HTTPRequest, _ route: Route, _ scope: APIScope) async throws {
        guard let token = request.queryValue("ckAPIToken"), !token.isEmpty else {
            throw CloudError(
                .authenticationRequired,
                "the request has no credentials: send the query item ckAPIToken (fanfare token create makes one)")
        }
        guard try await scope.records.isAPIToken(token) else {
            throw CloudError(
                .authenticationFailed, "ckAPIToken is not known to \(scope.scope.container)/\(scope.scope.environment)")
        }
        var user: UserRecordName?
        if let token = request.queryValue("ckWebAuthToken"), !token.isEmpty {
            user = try scope.webAuthTokens.user(of: token, in: scope.scope, at: scope.records.now())
        }
        caller = Caller(user: user, client: try Self.client(request))
    }

    /// A client names the device it speaks for, or calls itself something else.
    private static func client(_ request: HTTPRequest) throws(CloudError) -> DeviceID? {
        guard let text = request.queryValue("clientId"), !text.isEmpty else { return nil }
        guard text.utf8.count <= Limits.nameCharactersMax, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw .badRequest("clientId has at most \(Limits.nameCharactersMax) printable bytes")
        }
        return DeviceID(trusted: text)
    }
}
