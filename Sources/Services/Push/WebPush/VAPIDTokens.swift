package import CloudModel
package import Cryptography
import JSON
import Synchronization
import TextForms

/// The tokens by which push services know the server (VAPID, RFC 8292): one for each service and key, good for 12 hours
/// and renewed after 6.
package final class VAPIDTokens: Sendable {
    static let lifeSeconds: Int64 = 12 * 3600
    /// Tokens that are kept. Without a list of allowed hosts, clients choose the services.
    static let keptMax = 1000

    private struct Use: Hashable {
        var audience: String
        var point: [UInt8]
    }

    private struct Token {
        var header: String
        var issued: Int64

        func isFresh(_ seconds: Int64) -> Bool { (issued..<issued + lifeSeconds / 2).contains(seconds) }
    }

    private let keys: SigningKeys
    private let subject: VAPIDSubject
    private let now: @Sendable () -> Timestamp
    private let tokens = Mutex<[Use: Token]>([:])

    package init(keys: SigningKeys, subject: VAPIDSubject, now: @escaping @Sendable () -> Timestamp) {
        self.keys = keys
        self.subject = subject
        self.now = now
    }

    /// The public key of new subscriptions, base64url: a browser's `applicationServerKey`.
    package var publicKey: String { Base64.url.encode(keys.current.publicPoint) }

    /// The path of the file of a container's environment, in the folder of the key ring: names of containers are names
    /// of files.
    package static func file(beside keyRing: String, _ scope: ContainerEnvironment) -> String {
        let folder = keyRing.lastIndex(of: "/").map { keyRing[...$0] } ?? ""
        return "\(folder)vapid-\(scope).pem"
    }

    /// The header `Authorization`; nil if there is no key of that public point.
    /// - Parameter audience: the origin of the endpoint.
    func authorization(for audience: String, key point: [UInt8]) -> String? {
        guard let key = keys[point] else { return nil }
        let use = Use(audience: audience, point: point)
        let seconds = now().milliseconds / 1000
        return tokens.withLock { tokens in
            if let token = tokens[use], token.isFresh(seconds) { return token.header }
            if tokens.count >= Self.keptMax {
                tokens = tokens.filter { $0.value.isFresh(seconds) }
                if tokens.count >= Self.keptMax { tokens.removeAll() }
            }
            let header = "vapid t=\(sign(audience, seconds, key)), k=\(Base64.url.encode(point))"
            tokens[use] = Token(header: header, issued: seconds)
            return header
        }
    }

    private func sign(_ audience: String, _ seconds: Int64, _ key: SigningKey) -> String {
        var payload = JSONWriter()
        payload.beginObject()
        payload.member("aud", audience)
        payload.member("exp", seconds + Self.lifeSeconds)
        payload.member("sub", subject.text)
        payload.endObject()
        return key.webToken(header: Self.header, payload: payload.bytes)
    }

    private static let header = Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
}
