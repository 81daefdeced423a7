import CloudJSON
package import CloudModel
import JSON

extension CloudService {
    /// Returns a client that is signed in as a user by name. Needs a service with the development sign-in.
    package func signedIn(as user: String) async throws -> (client: CloudService, user: UserRecordName) {
        try await signedIn(with: ["user": .string(user)])
    }

    /// Returns a client that is signed in as the user of an ID token.
    package func signedIn(idToken: String) async throws -> (client: CloudService, user: UserRecordName) {
        try await signedIn(with: ["idToken": .string(idToken)])
    }

    /// Ends this sign-in, or all sign-ins of the user.
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
