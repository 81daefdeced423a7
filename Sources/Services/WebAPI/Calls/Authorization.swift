import CloudModel

/// Decides the rights of each kind of credentials, before a use case starts (docs/cloudkit.md#authentication). The use
/// case decides on rights to a record, and on the permissions of its type.
enum Authorization {
    /// Lets a request pass.
    /// - Parameter database: the database of the path; nil where the path has none.
    /// - Throws: the error that says which right was missing.
    static func check(
        _ credentials: Credentials.Kind, _ endpoint: APIEndpoint, _ database: DatabaseScope?
    ) throws(CloudError) {
        if [.knowUsers, .knowOneself].contains(endpoint.right), let database, database != .public {
            throw .badRequest("\(endpoint.name) is not applicable to the \(database) database; ask the public one")
        }
        let isPublic = database == .public
        switch (credentials, endpoint.right) {
        case (.user, _), (.apiToken, .signIn): return
        case (.apiToken, .read) where isPublic: return
        case (.serverKey, .read) where isPublic, (.serverKey, .act) where isPublic,
            (.serverKey, .knowOneself) where isPublic:
            return
        case (.apiToken, _):
            throw CloudError(
                .authenticationRequired,
                "\(what(endpoint, database)) needs a signed-in user, and an API token alone is none: send ckWebAuthToken (POST /auth/1/…/signin gives one)"
            )
        case (.serverKey, let right):
            throw CloudError(
                right == .knowUsers ? .authenticationFailed : .accessDenied,
                "\(what(endpoint, database)) needs a signed-in user; a server-to-server key reaches the records of the public database only"
            )
        }
    }

    private static func what(_ endpoint: APIEndpoint, _ database: DatabaseScope?) -> String {
        database.map { "\(endpoint.name) in the \($0) database" } ?? endpoint.name
    }
}
