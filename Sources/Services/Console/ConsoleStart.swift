import CloudModel
package import Identity
import JSON
import Synchronization

/// The facts that the console's pages begin with: the containers, how users sign in, and whether operators do. No secrets.
package final class ConsoleStart: Sendable {
    /// A container's environment with the API token of the console's own.
    package struct Container: Sendable {
        let identity: IdentityService
        let apiToken: String

        package init(_ identity: IdentityService, apiToken: String) {
            self.identity = identity
            self.apiToken = apiToken
        }
    }

    private let isReadOnly: Bool
    private let operatorsSignIn: Bool
    /// Nil until the tokens are made, which needs the port that the server got.
    private let containers = Mutex<[Container]?>(nil)

    /// - Parameters:
    ///   - isReadOnly: whether the listener refuses what changes something.
    ///   - operatorsSignIn: whether operators sign in by OpenID.
    package init(isReadOnly: Bool, operatorsSignIn: Bool) {
        self.isReadOnly = isReadOnly
        self.operatorsSignIn = operatorsSignIn
    }

    /// Shows these containers from now on, in the order of the settings.
    package func show(_ containers: [Container]) { self.containers.withLock { $0 = containers } }

    /// - Throws: `TRY_AGAIN_LATER` while the service is starting.
    func json(build: String) throws(CloudError) -> JSONValue {
        guard let containers = containers.withLock(\.self) else {
            throw CloudError(.tryAgainLater, "the service is starting; try again", retryAfterSeconds: 1)
        }
        let routes = OperatorMount.endpoints.map { JSONValue.string($0.name) }
        return [
            "build": .string(build), "readOnly": .bool(isReadOnly),
            "operators": ["signIn": .bool(operatorsSignIn), "routes": .array(routes)],
            "containers": .array(
                containers.map { container in
                    let (scope, offer) = (container.identity.scope, container.identity.pageSignIn)
                    return [
                        "container": .string(scope.container.rawValue),
                        "environment": .string(scope.environment.rawValue), "apiToken": .string(container.apiToken),
                        "signInByName": .bool(offer?.takesNames ?? false),
                        "signInPage": .bool(offer?.providerHost != nil),
                    ]
                }),
        ]
    }
}
