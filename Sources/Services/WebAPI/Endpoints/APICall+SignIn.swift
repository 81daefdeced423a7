import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func signIn() async throws -> HTTPResponse {
        let body = try body()
        let isKept = try body["keepSignedIn"]?.bool() ?? true
        let user: UserRecordName
        if let token = body["idToken"] {
            user = try await scope.records.signIn(idToken: try token.string())
        } else if let name = body["user"] {
            user = try await scope.records.signInForDevelopment(as: try name.string())
        } else {
            throw CloudError.badRequest("the body needs 'idToken', or 'user' where development-sign-in is on")
        }
        let made = scope.webAuthTokens.make(
            for: user, in: scope.scope, at: scope.records.now(), isBrief: !isKept)
        return JSONResponse.make([
            "ckWebAuthToken": .string(made.token), "userRecordName": .string(user.rawValue),
            "expires": .integer(made.expires.milliseconds),
        ])
    }
}
