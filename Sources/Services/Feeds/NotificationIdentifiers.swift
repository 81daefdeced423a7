package import CloudModel
package import Cryptography

/// Notification IDs: an opaque form of the user and the change. One that was made up, or is another user's, does not
/// decode.
package struct NotificationIdentifiers: Sendable {
    private let ring: KeyRing

    /// IDs of a key ring's key for identifiers; those of former ones decode, too.
    package init(_ ring: KeyRing) { self.ring = ring }

    /// The ID as users see it, in the form of a UUID.
    package func encode(_ subject: NotificationSubject) -> String {
        let number = UInt64(bitPattern: subject.change.rawValue)
        return "\(OpaqueIdentifier(number, context: context(subject.user), key: ring.identifierKey))"
    }

    /// The change that a user's notification is about; nil when the ID is none of this user's.
    package func decode(_ id: String, of user: UserRecordName) -> CommitSequence? {
        guard let identifier = OpaqueIdentifier(id) else { return nil }
        for key in ring.identifierKeys {
            guard let number = identifier.number(context: context(user), key: key) else { continue }
            return CommitSequence(Int64(bitPattern: number))
        }
        return nil
    }

    private func context(_ user: UserRecordName) -> [UInt8] { Array("notification/\(user)".utf8) }
}
