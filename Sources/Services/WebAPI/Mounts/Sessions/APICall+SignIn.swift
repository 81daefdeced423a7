import CloudJSON
import CloudModel
import HTTPServer
import Identity
import JSON
import RecordService

extension APICall {
    func signIn() async throws -> HTTPResponse {
        let body = try body()
        let isKept = try body["keepSignedIn"]?.bool() ?? true
        let user: UserRecordName
        if let token = body["idToken"] {
            user = try await scope.identity.signIn(idToken: try token.string())
        } else if let name = body["user"] {
            user = try await scope.identity.signInForDevelopment(as: try name.string())
        } else {
            throw CloudError.badRequest("the body needs 'idToken', or 'user' where development-sign-in is on")
        }
        // What cannot be written now, as while the log is away, keeps nobody from reading: users/caller makes up for
        // it.
        try? await scope.records.makeUserRecord(of: user)
        let made = scope.token(of: try await scope.identity.beginSession(of: user, isBrief: !isKept))
        return JSONResponse.make([
            "ckWebAuthToken": .string(made.token), "userRecordName": .string(user.rawValue),
            "expires": .integer(made.expires.milliseconds),
        ])
    }

    /// Ends the session whose token the request shows, or all of the user's.
    func signOut() async throws -> HTTPResponse {
        guard let session else {
            throw CloudError(.authenticationRequired, "signing out needs the ckWebAuthToken of the session")
        }
        if try bodyIfAny()?["everywhere"]?.bool() ?? false {
            try await scope.identity.endSessions(of: session.user)
        } else {
            try await scope.identity.end(session, until: scope.webAuthTokens.end(of: session))
        }
        return JSONResponse.make(["userRecordName": .string(session.user.rawValue), "signedOut": true])
    }
}
