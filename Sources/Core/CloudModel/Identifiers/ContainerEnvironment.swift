/// A container's environment: what one store, one relay and one set of topics belong to.
package struct ContainerEnvironment: Hashable, Sendable, CustomStringConvertible {
    /// The container.
    package var container: ContainerIdentifier
    /// Development or production, whose data are apart.
    package var environment: CloudEnvironment

    package init(container: ContainerIdentifier, environment: CloudEnvironment) {
        self.container = container
        self.environment = environment
    }

    /// `<container>.<environment>`, as topics and files are named.
    package var description: String { "\(container).\(environment)" }
}
