import Cryptography
import JSON

/// The keys of an issuer's set, by ID.
struct IssuerKeys: Sendable {
    /// More keys than any issuer has.
    static let keysMax = 100

    private let keys: [String: [WebKey.Algorithm: WebKey]]

    /// Reads a JSON Web Key Set. Keys that are not for signatures, are symmetric, have no ID, or are of a kind that
    /// does not sign tokens are left out; of two keys of one ID and algorithm the first counts.
    init?(_ json: JSONValue) {
        guard let set = json["keys"]?.array else { return nil }
        var keys: [String: [WebKey.Algorithm: WebKey]] = [:]
        for key in set.prefix(Self.keysMax) {
            guard let id = key["kid"]?.string, !id.isEmpty, key["use"] == nil || key["use"]?.string == "sig",
                let algorithm = Self.algorithm(key), keys[id]?[algorithm] == nil,
                let text = try? key.serialized(), let parsed = WebKey(json: text, for: algorithm)
            else { continue }
            keys[id, default: [:]][algorithm] = parsed
        }
        self.keys = keys
    }

    /// The key that a token's header asks for.
    func key(_ header: IDTokenRules.Header) -> WebKey? { keys[header.keyID]?[header.algorithm] }

    /// The algorithm that a key is for: what it says, if it fits its kind, else its kind's.
    private static func algorithm(_ key: JSONValue) -> WebKey.Algorithm? {
        let fitting: WebKey.Algorithm? =
            switch (key["kty"]?.string, key["crv"]?.string) {
            case ("RSA", nil): .rs256
            case ("EC", "P-256"): .es256
            default: nil
            }
        guard let said = key["alg"] else { return fitting }
        return said.string == fitting?.rawValue ? fitting : nil
    }
}
