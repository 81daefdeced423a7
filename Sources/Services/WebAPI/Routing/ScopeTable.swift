import CloudModel

/// The environments of containers that a port serves.
struct ScopeTable: Sendable {
    private let scopes: [ContainerEnvironment: APIScope]

    init(_ scopes: [APIScope] = []) {
        self.scopes = Dictionary(scopes.map { ($0.scope, $0) }) { first, _ in first }
    }

    /// All of them, in no order.
    var all: some Collection<APIScope> { scopes.values }

    /// Finds the services of an environment of a container.
    /// - Throws: `BAD_REQUEST` for invalid names, `NOT_FOUND` for an environment that is not served.
    func scope(container name: String, environment text: String) throws(CloudError) -> APIScope {
        // Some clients write it large.
        guard let environment = CloudEnvironment(rawValue: text.lowercased()) else {
            throw .badRequest("the environment is development or production, not '\(text)'")
        }
        let container = try ContainerIdentifier(name)
        if let scope = scopes[ContainerEnvironment(container: container, environment: environment)] { return scope }
        let knows = scopes.keys.contains { $0.container == container }
        throw CloudError(
            .notFound,
            knows
                ? "this service does not serve \(environment) of '\(container)'; the setting 'environments' lists what it does"
                : "this service has no container '\(container)'; the setting 'containers' lists them")
    }
}
