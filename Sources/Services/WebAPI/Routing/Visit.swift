import CloudModel
import HTTPServer

/// One request on its way through a mount: what its path says, and what was found out about it before its body came.
struct Visit: Sendable {
    let route: Route
    /// The path, each segment decoded by itself.
    private let segments: [String]
    /// The services of the path's container and environment, or why there are none; nil for paths without a container.
    let scope: Result<APIScope, CloudError>?
    /// The database of the path; nil for paths without one.
    let database: DatabaseScope?
    /// The name of the answer in logs and bug reports; given when the body is there.
    var id = ""
    /// The sender, where credentials are asked for.
    var admission: Admission?
    /// The object that the request has rested with, when it is gone on with.
    var rested: (any HTTPResting)?

    init(_ route: Route, _ segments: [String], _ scopes: ScopeTable) {
        self.route = route
        self.segments = segments
        database = route.path.databasePlace.flatMap { DatabaseScope(segments[$0]) }
        scope = route.path.containerPlace.map { place in
            Result { () throws(CloudError) in
                try scopes.scope(container: segments[place], environment: segments[place + 1])
            }
        }
    }

    /// The text that stands for a parameter of the route's path.
    subscript(parameter: String) -> String? { route.path.place(of: parameter).map { segments[$0] } }

    /// Returns the services of the container and environment, which the path names.
    /// - Throws: `BAD_REQUEST` for what is no container or environment, `NOT_FOUND` for one that is not served.
    func servedScope() throws(CloudError) -> APIScope {
        guard let scope else { preconditionFailure("the path '\(route.path)' names no container") }
        return try scope.get()
    }
}
