package import CloudModel

/// Somebody who looks after the service.
package struct Operator: Hashable, Sendable {
    /// The rights of an operator.
    package enum Role: String, Sendable, CaseIterable {
        /// Reads.
        case viewer
        /// Reads and changes.
        case `operator`
    }

    /// A role everywhere, in a container, or in one environment of it.
    package struct Right: Hashable, Sendable {
        package let role: Role
        /// The container's identifier, and perhaps an environment behind a slash; nil for the whole service.
        package let place: String?

        package init(_ role: Role, place: String? = nil) {
            self.role = role
            self.place = place
        }

        fileprivate func holds(in scope: ContainerEnvironment) -> Bool {
            guard let place else { return true }
            return place == scope.container.rawValue
                || place == "\(scope.container.rawValue)/\(scope.environment.rawValue)"
        }
    }

    /// The name, in records of acts: an address, `issuer#subject`, or a word for one that no sign-in names.
    package let name: String
    /// At least one.
    package let rights: [Right]

    package init(name: String, rights: [Right]) {
        self.name = name
        self.rights = rights
    }

    package init(name: String, role: Role) { self.init(name: name, rights: [Right(role)]) }

    /// The role in a container's environment; nil for none.
    package func role(in scope: ContainerEnvironment) -> Role? { Self.most(rights.filter { $0.holds(in: scope) }) }

    /// The role in the whole service: settings, the log and the key ring are of all containers; nil for none.
    package var serviceRole: Role? { Self.most(rights.filter { $0.place == nil }) }

    /// The most that the operator may do anywhere.
    package var role: Role { Self.most(rights) ?? .viewer }

    private static func most(_ rights: [Right]) -> Role? {
        rights.contains { $0.role == .operator } ? .operator : rights.first?.role
    }
}
