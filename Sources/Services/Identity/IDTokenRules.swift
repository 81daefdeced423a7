import CloudModel
import Cryptography
import JSON

/// Checks the claims of ID tokens (OpenID Connect Core 3.1.3.7, RFC 8725), everything but the signature.
struct IDTokenRules: Sendable {
    /// The difference between clocks that is allowed.
    static let leewaySeconds: Int64 = 60

    let issuer: String
    /// The clients whose tokens are taken: an app and its web page have one each.
    let audiences: [String]
    /// The claim that has roles of operators; nil for none.
    var rolesClaim: String?

    /// The header of a token, as far as it chooses a key.
    struct Header: Hashable {
        var keyID: String
        var algorithm: WebKey.Algorithm
    }

    /// Reads the header.
    /// - Throws: `AUTHENTICATION_FAILED` for an algorithm that is not allowed, a missing key ID, or any `crit`.
    static func header(_ token: WebToken) throws(CloudError) -> Header {
        guard let json = try? JSONValue(parsing: token.header), json.object != nil else {
            throw failed("its header is no JSON object")
        }
        guard json["crit"] == nil else { throw failed("its header has 'crit', and no extension is known here") }
        guard let name = json["alg"]?.string, let algorithm = WebKey.Algorithm(rawValue: name) else {
            let known = WebKey.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw failed("its algorithm is '\(json["alg"]?.string ?? "absent")'; allowed are \(known)")
        }
        guard let keyID = json["kid"]?.string, !keyID.isEmpty else { throw failed("its header names no key ('kid')") }
        return Header(keyID: keyID, algorithm: algorithm)
    }

    /// Reads a payload that was verified.
    /// - Throws: `AUTHENTICATION_FAILED` that says which claim is missing or wrong.
    func identity(
        _ payload: [UInt8], nonce: String? = nil, at now: Timestamp
    ) throws(CloudError) -> (subject: String, claims: IdentityClaims) {
        guard let json = try? JSONValue(parsing: payload), json.object != nil else {
            throw Self.failed("its payload is no JSON object")
        }
        guard json["iss"]?.string == issuer else {
            throw Self.failed("its issuer is '\(json["iss"]?.string ?? "absent")', not '\(issuer)'")
        }
        if let nonce, json["nonce"]?.string != nonce {
            throw Self.failed("its 'nonce' is not that of this sign-in")
        }
        try checkAudience(json)
        try checkTimes(json, at: now)
        guard let subject = json["sub"]?.string, !subject.isEmpty, subject.utf8.count <= Limits.nameCharactersMax,
            !subject.utf8.contains(0)
        else { throw Self.failed("its subject is not a text of 1 to \(Limits.nameCharactersMax) bytes") }
        // Sign in with Apple writes it as a string.
        let isVerified = [.bool(true), .string("true")].contains(json["email_verified"])
        let email = isVerified ? json["email"]?.string : nil
        var claims = IdentityClaims(
            email: email, givenName: json["given_name"]?.string ?? json["name"]?.string,
            familyName: json["family_name"]?.string)
        if let roles = rolesClaim.flatMap({ json[$0] }) {
            claims.roles = roles.array?.compactMap(\.string) ?? [roles.string].compactMap(\.self)
        }
        return (subject, claims)
    }

    private func checkAudience(_ json: JSONValue) throws(CloudError) {
        let named = json["aud"]?.array?.compactMap(\.string) ?? [json["aud"]?.string].compactMap { $0 }
        let known = audiences.map { "'\($0)'" }.joined(separator: " or ")
        guard named.contains(where: audiences.contains) else {
            throw Self.failed("it is for '\(named.joined(separator: "', '"))', not for \(known)")
        }
        if let party = json["azp"] {
            guard let party = party.string, audiences.contains(party) else {
                throw Self.failed("its 'azp' is not \(known)")
            }
        }
        guard named.count == 1 || json["azp"] != nil else { throw Self.failed("it has several audiences and no 'azp'") }
    }

    private func checkTimes(_ json: JSONValue, at now: Timestamp) throws(CloudError) {
        let seconds = Double(now.milliseconds) / 1000
        let leeway = Double(Self.leewaySeconds)
        guard let end = json["exp"]?.number, end + leeway > seconds else {
            throw Self.failed("it has ended, or says not when ('exp')")
        }
        if let start = json["nbf"] {
            guard let start = start.number, start - leeway <= seconds else {
                throw Self.failed("it is not yet good ('nbf')")
            }
        }
        guard let issued = json["iat"]?.number, issued - leeway <= seconds else {
            throw Self.failed("it was issued in the future, or says not when ('iat')")
        }
    }

    static func failed(_ reason: String) -> CloudError {
        CloudError(.authenticationFailed, "the ID token is refused: \(reason)")
    }
}
