package import CloudModel
package import Cryptography

/// Notification IDs: an opaque form of the user and the change. One that was made up, or is another user's, does not
/// decode.
package struct NotificationIdentifiers: Sendable {
    private let key: SecretKey

    /// IDs of a key ring's lasting key.
    package init(_ ring: KeyRing) { key = ring.identifierKey }

    /// The ID as users see it, in the form of a UUID.
    package func encode(_ subject: NotificationSubject) -> String {
        "\(OpaqueIdentifier(UInt64(bitPattern: subject.change.rawValue), context: context(subject.user), key: key))"
    }

    /// The change that a user's notification is about; nil when the ID is none of this user's.
    package func decode(_ id: String, of user: UserRecordName) -> CommitSequence? {
        OpaqueIdentifier(id)?.number(context: context(user), key: key).map { CommitSequence(Int64(bitPattern: $0)) }
    }

    private func context(_ user: UserRecordName) -> [UInt8] { Array("notification/\(user)".utf8) }
}
