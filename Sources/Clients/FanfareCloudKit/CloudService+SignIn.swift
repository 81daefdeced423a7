import CloudJSON
package import CloudModel
import JSON

extension CloudService {
    /// A client that acts for a user of the sign-in for development.
    package func signedIn(as user: String) async throws -> (client: CloudService, user: UserRecordName) {
        try await signedIn(with: ["user": .string(user)])
    }

    /// A client that acts for the user of an ID token.
    package func signedIn(idToken: String) async throws -> (client: CloudService, user: UserRecordName) {
        try await signedIn(with: ["idToken": .string(idToken)])
    }

    /// Ends the sign-in, or all of the user's.
    package func signOut(everywhere: Bool = false) async throws {
        _ = try await post("auth/1/\(path)/signout", ["everywhere": .bool(everywhere)])
    }

    private func signedIn(with body: JSONValue) async throws -> (client: CloudService, user: UserRecordName) {
        let answer = try await post("auth/1/\(path)/signin", body)
        let (token, user) = try read(answer) { json throws(CloudError) in
            (
                try json.required("ckWebAuthToken").string(),
                UserRecordName(trusted: try json.required("userRecordName").string())
            )
        }
        var client = self
        client.webAuthToken = token
        return (client, user)
    }
}
