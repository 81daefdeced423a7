package import CloudModel

/// A server-to-server key: whose requests it signs, and how they are verified.
package struct StoredServerKey: Hashable, Sendable {
    /// 64 hexadecimal digits.
    package var id: String
    /// The developer's user, made with the key.
    package var user: UserRecordName
    /// The public key as PEM.
    package var publicKeyPEM: String

    package init(id: String, user: UserRecordName, publicKeyPEM: String) {
        self.id = id
        self.user = user
        self.publicKeyPEM = publicKeyPEM
    }
}
