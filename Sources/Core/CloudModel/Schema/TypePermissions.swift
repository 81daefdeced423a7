/// The rights of the public database's roles on records of a type (docs/cloudkit.md#permissions).
package struct TypePermissions: Hashable, Sendable {
    /// The role of a user towards a record of the public database.
    package enum Role: Int, Sendable, CaseIterable, CustomStringConvertible {
        /// Anybody with an API token.
        case world = 0
        /// Any signed-in user.
        case icloud = 1
        /// The user who created the record.
        case creator = 2

        /// CloudKit's name of the role.
        package var description: String {
            switch self {
            case .world: "_world"
            case .icloud: "_icloud"
            case .creator: "_creator"
            }
        }
    }

    /// An action that can be allowed to a role.
    package enum Right: Int, Sendable, CaseIterable, CustomStringConvertible {
        case read = 0
        case create = 1
        /// Updating and deleting.
        case write = 2

        /// CloudKit's name of the right.
        package var description: String {
            switch self {
            case .read: "READ"
            case .create: "CREATE"
            case .write: "WRITE"
            }
        }
    }

    /// A bit for each role and right, as the store keeps them.
    package private(set) var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// CloudKit's defaults: everybody reads, signed-in users create, creators write.
    package static let standard: TypePermissions = {
        var permissions = TypePermissions(rawValue: 0)
        permissions[.world, .read] = true
        permissions[.icloud, .create] = true
        permissions[.creator, .write] = true
        return permissions
    }()

    /// Indicates whether a role was granted a right by itself.
    package subscript(role: Role, right: Right) -> Bool {
        get { rawValue & Self.bit(role, right) != 0 }
        set { rawValue = newValue ? rawValue | Self.bit(role, right) : rawValue & ~Self.bit(role, right) }
    }

    /// Returns true if the right is granted to the role or to a wider one: a creator is also signed in, and everyone
    /// signed in is also of the world.
    package func allow(_ right: Right, to role: Role) -> Bool {
        Role.allCases.contains { $0.rawValue <= role.rawValue && self[$0, right] }
    }

    private static func bit(_ role: Role, _ right: Right) -> Int64 { 1 << Int64(role.rawValue * 3 + right.rawValue) }
}

extension TypePermissions.Role {
    /// Reads CloudKit's name of a role.
    package init?(name: String) {
        guard let role = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = role
    }
}

extension TypePermissions.Right {
    /// Reads CloudKit's name of a right.
    package init?(name: String) {
        guard let right = Self.allCases.first(where: { $0.description == name.uppercased() }) else { return nil }
        self = right
    }
}
