package import CloudModel
package import Cryptography
package import RecordStore
import TextForms

/// A server-to-server key as requests are checked with it, parsed once.
package struct ServerKey: Sendable {
    /// The developer's user, in whose name its requests act.
    package let user: UserRecordName
    let verifying: VerifyingKey
}

extension IdentityService {
    /// Makes a server-to-server key and a user for it. The private key is returned and not kept.
    package func makeServerKey(note: String) async throws -> (id: String, key: SigningKey) {
        let id = Hexadecimal.encode(SecureRandom.bytes(count: 32))
        let key = SigningKey.generate()
        let user = try await user(UserIdentity(issuer: "server-to-server", subject: id))
        let stored = StoredServerKey(id: id, user: user, publicKeyPEM: key.publicKeyPEM)
        let time = now()
        try await store.write(in: .user(user)) { try $0.addServerKey(stored, note: note, at: time) }
        return (id, key)
    }

    /// Returns true if a server-to-server key was made for this container's environment.
    package func hasServerKey(_ id: String) async throws -> Bool { try await serverKey(id) != nil }

    /// The user of a signed request.
    /// - Parameter target: the request's target as it was sent.
    /// - Throws: `AUTHENTICATION_FAILED` with the error of key, date or signature; `ACCESS_DENIED` if an operator has
    ///   blocked the key's user.
    package func user(
        of signature: RequestSignature, target: String, body: [UInt8]
    ) async throws -> UserRecordName {
        guard let key = try await serverKey(signature.keyID) else {
            throw CloudError(
                .authenticationFailed,
                "X-Apple-CloudKit-Request-KeyID is not known to \(scope.container)/\(scope.environment); fanfare key create makes one"
            )
        }
        try signature.check(key.verifying, target: target, body: body, at: now())
        if try await account(of: key.user)?.isBlocked == true { throw Self.blocked }
        return key.user
    }

    /// The user in whose name a server-to-server key acts.
    /// - Throws: `NOT_FOUND` when there is no such key.
    package func user(ofServerKey id: String) async throws -> UserRecordName {
        guard let key = try await serverKey(id) else {
            throw CloudError(.notFound, "there is no key '\(id)'; fanfare key list shows those there are")
        }
        return key.user
    }

    private func serverKey(_ id: String) async throws -> ServerKey? {
        try await identity(known: { $0.keys[id] }, keep: { .key(id, $0) }) { reader in
            guard let stored = try reader.serverKey(id) else { return nil }
            return ServerKey(user: stored.user, verifying: try VerifyingKey(pem: stored.publicKeyPEM))
        }
    }

    /// The server-to-server keys of this container's environment, oldest first.
    package func listServerKeys() async throws -> [ListedCredential] { try await store.read { try $0.serverKeys() } }

    /// Takes a server-to-server key back, and ends its webhooks.
    /// - Throws: `NOT_FOUND` when there is none.
    package func revokeServerKey(_ id: String) async throws {
        let time = now()
        try await takeBack(from: nil) { [self] transaction in
            if let user = try transaction.serverKey(id)?.user {
                try sessionsEnded(user, .signOut, time, transaction)
            }
            guard try transaction.removeServerKey(id) else {
                throw CloudError(.notFound, "there is no key '\(id)'; fanfare key list shows those there are")
            }
        }
    }
}
