/// A share in a request; nil members stay as they are.
package struct GivenShare: Hashable, Sendable {
    /// The record at the top of a hierarchy that is newly shared.
    package var root: RecordName?
    /// The change tag of that record that the caller last saw, to be checked.
    package var rootChangeTag: String?
    /// The permission of anyone who knows the short GUID.
    package var publicPermission: Share.Permission?
    /// Everyone; the owner, who may be among them, is passed over.
    package var participants: [Participant]?

    /// A user and what the user may do.
    package struct Participant: Hashable, Sendable {
        /// The name by which a request gives a participant.
        package enum Person: Hashable, Sendable {
            case user(UserRecordName)
            /// An address as it was given; its user may not exist yet.
            case emailAddress(String)
        }

        /// The participant.
        package var person: Person
        /// The permission of the participant; nil leaves it as it is, and lets somebody new read.
        package var permission: Share.Permission?
        /// The part of the participant; nil leaves it as it is.
        package var role: Share.Participant.Role?
        /// Indicates whether the participant is to be taken out.
        package var isRemoved = false

        package init(user: UserRecordName, permission: Share.Permission?, role: Share.Participant.Role? = nil) {
            self.init(person: .user(user), permission: permission, role: role)
        }

        package init(person: Person, permission: Share.Permission?, role: Share.Participant.Role? = nil) {
            self.person = person
            self.permission = permission
            self.role = role
        }
    }

    package init(
        root: RecordName? = nil, rootChangeTag: String? = nil, publicPermission: Share.Permission? = nil,
        participants: [Participant]? = nil
    ) {
        self.root = root
        self.rootChangeTag = rootChangeTag
        self.publicPermission = publicPermission
        self.participants = participants
    }
}
