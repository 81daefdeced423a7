import CloudModel
import Cryptography
import RecordStore
import Synchronization

extension RecordService {
    /// Makes an API token: 64 hexadecimal digits, of which only the digest is kept.
    /// - Parameter origins: where web pages may use it from; none means anywhere.
    package func makeAPIToken(note: String, origins: [String] = []) async throws -> String {
        let token = Hexadecimal.encode(SecureRandom.bytes(count: 32))
        try await addAPIToken(token, note: note, origins: origins)
        return token
    }

    /// Keeps an API token that was made elsewhere, unless it is known.
    package func addAPIToken(_ token: String, note: String, origins: [String] = []) async throws {
        var checked: [String] = []
        for origin in origins { checked.append(try APIToken.origin(origin)) }
        let digest = SHA256.hash(Array(token.utf8))
        let time = now()
        try await store.write { [checked] transaction in
            guard try !transaction.hasAPIToken(digest: digest) else { return }
            try transaction.addAPIToken(digest: digest, note: note, at: time)
            for origin in checked { try transaction.addOrigin(origin, toAPIToken: digest) }
        }
    }

    /// An API token that was made for this container's environment; nil when it was not.
    package func apiToken(_ token: String) async throws -> APIToken? {
        let digest = SHA256.hash(Array(token.utf8))
        if let known = apiTokens.withLock({ $0[digest] }) { return known }
        let found = try await store.read { reader -> APIToken? in
            guard try reader.hasAPIToken(digest: digest) else { return nil }
            return APIToken(origins: Set(try reader.origins(ofAPIToken: digest)))
        }
        if let found { apiTokens.withLock { $0[digest] = found } }
        return found
    }
}
