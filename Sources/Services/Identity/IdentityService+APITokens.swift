import CloudModel
import Cryptography
package import RecordStore
import TextForms

extension IdentityService {
    /// Makes an API token: 64 hexadecimal digits, of which only the digest is kept.
    /// - Parameters:
    ///   - origins: where web pages may use it from; none means anywhere.
    ///   - callbacks: the addresses that a sign-in may hand a session to.
    package func makeAPIToken(
        note: String, origins: [String] = [], callbacks: [String] = []
    ) async throws -> String {
        let token = Hexadecimal.encode(SecureRandom.bytes(count: 32))
        try await addAPIToken(token, note: note, origins: origins, callbacks: callbacks)
        return token
    }

    /// Keeps an API token that was made elsewhere, unless it is known.
    package func addAPIToken(
        _ token: String, note: String, origins: [String] = [], callbacks: [String] = []
    ) async throws {
        var checked: [String] = []
        for origin in origins { checked.append(try APIToken.origin(origin)) }
        for callback in callbacks { checked.append(try APIToken.callback(callback)) }
        let digest = SHA256.hash(Array(token.utf8))
        let time = now()
        try await store.write(in: .whole) { [checked] transaction in
            guard try !transaction.hasAPIToken(digest: digest) else { return }
            try transaction.addAPIToken(digest: digest, note: note, at: time)
            for origin in checked { try transaction.addOrigin(origin, toAPIToken: digest) }
        }
    }

    /// The digest of an API token, as lists show it.
    package static func digest(ofAPIToken token: String) -> String {
        Hexadecimal.encode(SHA256.hash(Array(token.utf8)))
    }

    /// An API token that was made for this container's environment; nil when it was not.
    package func apiToken(_ token: String) async throws -> APIToken? {
        let digest = SHA256.hash(Array(token.utf8))
        return try await identity(known: { $0.tokens[digest] }, keep: { .token(digest, $0) }) { reader in
            guard try reader.hasAPIToken(digest: digest) else { return nil }
            return APIToken(origins: Set(try reader.origins(ofAPIToken: digest)))
        }
    }

    /// The API tokens of this container's environment, oldest first.
    package func listAPITokens() async throws -> [ListedCredential] { try await store.read { try $0.apiTokens() } }

    /// Takes an API token back.
    /// - Parameter token: the token, or its digest as the list shows it.
    /// - Returns: its digest.
    /// - Throws: `NOT_FOUND` when there is none.
    package func revokeAPIToken(_ token: String) async throws -> String {
        let digests = [SHA256.hash(Array(token.utf8)), Hexadecimal.decode(token.lowercased()) ?? []]
        return try await takeBack(from: nil) { transaction in
            for digest in digests where try transaction.removeAPIToken(digest: digest) {
                return Hexadecimal.encode(digest)
            }
            throw CloudError(.notFound, "there is no such API token; fanfare token list shows those there are")
        }
    }
}
