import CloudModel

/// What each kind of credentials may do: decided here alone, before a use case begins (spec section 5.14). Whose a record
/// is, and what its type permits, is the use case's affair.
enum Authorization {
    /// What a request needs.
    enum Right: Hashable {
        /// To read the public database: the role `_world`.
        case readPublic
        /// To act in the public database as somebody.
        case actInPublic
        /// To act as a person: private and shared databases, devices, other users.
        case actAsPerson
        /// To sign in: nobody is needed for that.
        case signIn
    }

    /// Lets a request pass.
    /// - Throws: the error that says which right was missing.
    static func check(_ credentials: Credentials.Kind, _ route: Route) throws(CloudError) {
        if route.endpoint.isAboutUsers, let database = route.database, database != .public {
            throw .badRequest(
                "\(route.endpoint.rawValue) is not applicable to the \(database) database; ask the public one")
        }
        switch (credentials, right(route)) {
        case (.user, _), (_, .readPublic), (.apiToken, .signIn), (.serverKey, .actInPublic): return
        case (.apiToken, .actInPublic), (.apiToken, .actAsPerson):
            throw CloudError(
                .authenticationRequired,
                "\(what(route)) needs a signed-in user, and an API token alone is none: send ckWebAuthToken (POST /auth/1/…/signin gives one)"
            )
        case (.serverKey, _):
            let code: CloudErrorCode = route.endpoint.isAboutUsers ? .authenticationFailed : .accessDenied
            throw CloudError(
                code,
                "\(what(route)) needs a signed-in user; a server-to-server key reaches the records of the public database only"
            )
        }
    }

    /// What a request of a route needs.
    static func right(_ route: Route) -> Right {
        if route.endpoint == .signIn { return .signIn }
        guard route.database == .public, !route.endpoint.isAboutUsers, !route.endpoint.isAboutShares else {
            return .actAsPerson
        }
        return route.endpoint.onlyReads ? .readPublic : .actInPublic
    }

    private static func what(_ route: Route) -> String {
        route.database.map { "\(route.endpoint.rawValue) in the \($0) database" } ?? route.endpoint.rawValue
    }
}

extension Route.Endpoint {
    /// Whether it tells of users, and so is for persons only.
    var isAboutUsers: Bool { rawValue.hasPrefix("users/") }

    /// Whether it begins or ends a session, and so hands out no fresh token of the one before.
    var isAboutSessions: Bool { self == .signIn || self == .signOut }

    /// Whether it leads to what people share from their private databases, though its path is the public one's.
    var isAboutShares: Bool { self == .recordsResolve || self == .recordsAccept }

    /// Whether it reads what the public database shows to everybody.
    var onlyReads: Bool {
        ["records/lookup", "records/query", "zones/list", "zones/lookup"].contains(rawValue)
    }
}
