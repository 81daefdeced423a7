/// Somebody who looks after the service.
package struct Operator: Hashable, Sendable {
    /// The rights of an operator.
    package enum Role: String, Sendable, CaseIterable {
        /// Reads.
        case viewer
        /// Reads and changes.
        case `operator`
    }

    /// The name, in records of acts: an address, `issuer#subject`, or a word for one that no sign-in names.
    package let name: String
    package let role: Role

    package init(name: String, role: Role) {
        self.name = name
        self.role = role
    }
}
