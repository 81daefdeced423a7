package import CloudModel
package import HTTPServer

/// The party that work, memory and rates are counted to. None takes more than a share, whatever name it comes under.
package enum Sender: Hashable, Sendable {
    /// A signed-in user.
    case user(ContainerEnvironment, UserRecordName)
    /// Those who come with an API token alone, from one address.
    case visitor(ContainerEnvironment, ClientAddress?)
    /// A server-to-server key.
    case key(ContainerEnvironment, String)
    /// An operator, in all containers.
    case operating(String)

    /// True if the sender has no known identity.
    var isVisitor: Bool {
        if case .visitor = self { true } else { false }
    }

    /// A name of it for the server.
    package var account: String {
        switch self {
        case .user(let scope, let user): "u/\(scope)/\(user)"
        case .visitor(let scope, let address): "v/\(scope)/\(address?.description ?? "")"
        case .key(let scope, let id): "k/\(scope)/\(id)"
        case .operating(let name): "o/\(name)"
        }
    }
}
