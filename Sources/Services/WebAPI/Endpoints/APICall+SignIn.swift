import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func signIn() async throws -> HTTPResponse {
        let name = try body().required("user").string()
        let user = try await scope.records.signInForDevelopment(as: name)
        let made = scope.webAuthTokens.make(for: user, in: scope.scope, at: scope.records.now())
        return JSONResponse.make([
            "ckWebAuthToken": .string(made.token), "userRecordName": .string(user.rawValue),
            "expires": .integer(made.expires.milliseconds),
        ])
    }
}
