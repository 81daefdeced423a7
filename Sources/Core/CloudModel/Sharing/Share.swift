/// The contents of a record of the type `cloudkit.share`: its root and its participants.
package struct Share: Hashable, Sendable {
    /// The access of a participant to the share.
    package enum Permission: Int32, Sendable, Comparable, CaseIterable {
        case none = 1
        case readOnly = 2
        case readWrite = 3

        package static func < (left: Permission, right: Permission) -> Bool { left.rawValue < right.rawValue }
    }

    /// A user beside the owner.
    package struct Participant: Hashable, Sendable {
        /// The part of a participant.
        package enum Role: Sendable, CaseIterable {
            /// Invited.
            case user
            /// Invited, and changes the participants as the owner does.
            case administrator
            /// Came by the public permission, without an invitation.
            case publicUser
        }

        /// The participant.
        package var user: UserRecordName
        /// The participant's access.
        package var permission: Permission
        /// The participant's part.
        package var role: Role
        /// The sequence of the acceptance; nil while it is an invitation.
        package var accepted: CommitSequence?
        /// The address by which the user was invited; nil for one who was named by record name.
        package var emailAddress: String?

        package init(
            user: UserRecordName, permission: Permission, role: Role = .user, accepted: CommitSequence? = nil
        ) {
            self.user = user
            self.permission = permission
            self.role = role
            self.accepted = accepted
        }
    }

    /// The root record; nil is the whole zone.
    package var root: RecordName?
    /// The access of anyone who knows the short GUID.
    package var publicPermission: Permission
    /// All but the owner, in the order they were given.
    package var participants: [Participant]
    /// The identifier by which the share is accepted.
    package var shortGUID: String

    package init(root: RecordName?, publicPermission: Permission, participants: [Participant], shortGUID: String) {
        self.root = root
        self.publicPermission = publicPermission
        self.participants = participants
        self.shortGUID = shortGUID
    }
}

extension Share.Permission: CustomStringConvertible {
    /// CloudKit's name.
    package var description: String {
        switch self {
        case .none: "NONE"
        case .readOnly: "READ_ONLY"
        case .readWrite: "READ_WRITE"
        }
    }

    /// Reads CloudKit's name.
    package init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = known
    }
}

extension Share.Participant.Role: CustomStringConvertible {
    /// CloudKit's name.
    package var description: String {
        switch self {
        case .user: "USER"
        case .administrator: "ADMINISTRATOR"
        case .publicUser: "PUBLIC_USER"
        }
    }
}
