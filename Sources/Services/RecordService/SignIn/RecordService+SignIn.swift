package import CloudModel
import Cryptography
package import RecordStore
import Synchronization

extension RecordService {
    /// Signs a user in by name, where development allows it; the first time makes the user.
    /// - Throws: `ACCESS_DENIED` where it is not allowed.
    package func signInForDevelopment(as name: String) async throws -> UserRecordName {
        guard options.allowsDevelopmentSignIn else {
            throw CloudError(
                .accessDenied,
                "signing in by name is off here; the setting development-sign-in turns it on for development")
        }
        guard !name.isEmpty, name.utf8.count <= Limits.nameCharactersMax, !name.contains("\0") else {
            throw CloudError.badRequest("user is a name of 1 to \(Limits.nameCharactersMax) bytes")
        }
        return try await user(.development(name))
    }

    /// The user of an identity; made if nobody has signed in with it before.
    package func user(_ identity: UserIdentity) async throws -> UserRecordName {
        if let known = try await store.read({ try $0.user(identity) }) { return known }
        let time = now()
        return try await store.write { transaction in
            if let known = try transaction.user(identity) { return known }
            let name = UserRecordName(trusted: UniqueName.makeUser())
            try transaction.addUser(name, identity, at: time)
            return name
        }
    }

    /// Makes an API token: 64 hexadecimal digits, of which only the digest is kept.
    package func makeAPIToken(note: String) async throws -> String {
        let token = Hexadecimal.encode(SecureRandom.bytes(count: 32))
        try await addAPIToken(token, note: note)
        return token
    }

    /// Keeps an API token that was made elsewhere, unless it is known.
    package func addAPIToken(_ token: String, note: String) async throws {
        let digest = SHA256.hash(Array(token.utf8))
        let time = now()
        try await store.write { transaction in
            guard try !transaction.hasAPIToken(digest: digest) else { return }
            try transaction.addAPIToken(digest: digest, note: note, at: time)
        }
    }

    /// Whether an API token was made for this container's environment.
    package func isAPIToken(_ token: String) async throws -> Bool {
        let digest = SHA256.hash(Array(token.utf8))
        if apiTokens.withLock({ $0.contains(digest) }) { return true }
        guard try await store.read({ try $0.hasAPIToken(digest: digest) }) else { return false }
        apiTokens.withLock { _ = $0.insert(digest) }
        return true
    }
}
