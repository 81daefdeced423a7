package import CloudModel
package import HTTPServer

/// One request on its way through a mount: its path, and the facts found before its body came.
package struct Visit: Sendable {
    package let route: Route
    /// The path, each segment decoded by itself.
    private let segments: [String]
    /// The services of the path's container and environment, or why there are none; nil for paths without a container.
    let scope: Result<APIScope, CloudError>?
    /// The database of the path; nil for paths without one.
    let database: DatabaseScope?
    /// The name of the answer in logs and bug reports; given when the body is there.
    package internal(set) var id = ""
    /// The sender, where credentials are asked for.
    var admission: Admission?
    /// The parties that the request counts to.
    private(set) var payer: Payer
    /// Indicates whether the head shows a right that is good, as far as memory knows: such a request is let in even if
    /// others of its address were refused too often.
    private(set) var isRecognized = false
    /// The object that the request has rested with, when it is gone on with.
    var rested: (any HTTPResting)?

    init(_ route: Route, _ segments: [String], _ scopes: ScopeTable, from client: ClientAddress? = nil) {
        payer = Payer(address: client)
        self.route = route
        self.segments = segments
        database = route.path.databasePlace.flatMap { DatabaseScope(segments[$0]) }
        scope = route.path.containerPlace.map { place in
            Result { () throws(CloudError) in
                try scopes.scope(container: segments[place], environment: segments[place + 1])
            }
        }
    }

    /// Notes the sender that the request counts to.
    /// - Parameters:
    ///   - credential: the API token or key; nil where there is none.
    ///   - isGood: whether the sender has shown a right that is good.
    package mutating func note(_ sender: Sender, _ credential: String? = nil, isGood: Bool) {
        (payer.sender, payer.credential, isRecognized) = (sender, credential, isGood)
    }

    /// Notes whether the head shows a right that is good, of nobody in particular.
    package mutating func note(isGood: Bool) { isRecognized = isGood }

    /// The text that stands for a parameter of the route's path.
    package subscript(parameter: String) -> String? { route.path.place(of: parameter).map { segments[$0] } }

    /// Returns the services of the container and environment in the path.
    /// - Throws: `BAD_REQUEST` for invalid names, `NOT_FOUND` for an environment that is not served.
    package func servedScope() throws(CloudError) -> APIScope {
        guard let scope else { preconditionFailure("the path '\(route.path)' names no container") }
        return try scope.get()
    }
}

extension Route {
    /// Decides by a request's head what becomes of its body, and notes in the visit what the work wants to find again.
    package typealias Admit = @Sendable (HTTPRequestHead, inout Visit) throws(CloudError) -> HTTPAdmission
}
