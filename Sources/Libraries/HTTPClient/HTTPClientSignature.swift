/// The key by which libcurl signs a request: Signature Version 4 of AWS, which storage of many makers takes.
///
/// libcurl 7.88 signs queries and escapes otherwise than servers do, so that a signed request has neither.
package struct HTTPClientSignature: Sendable {
    /// The scope in libcurl's form, such as `aws:amz:eu-central-1:s3`.
    package var scope: String
    /// The name of the key.
    package var accessKey: String
    package var secretKey: String
    /// The token of temporary keys; nil for lasting ones.
    package var sessionToken: String?
    /// The hexadecimal SHA-256 of the body, which the server compares.
    package var payloadHash: String

    package init(
        scope: String, accessKey: String, secretKey: String, sessionToken: String? = nil, payloadHash: String
    ) {
        self.scope = scope
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.payloadHash = payloadHash
    }
}

extension HTTPClientSignature {
    /// The header fields that belong to the signature, beside those of libcurl.
    var headers: [(String, String)] {
        [("x-amz-content-sha256", payloadHash)] + (sessionToken.map { [("x-amz-security-token", $0)] } ?? [])
    }

    /// The reason why libcurl's signature of a request would be wrong, or a text for it leads elsewhere; nil when none
    /// is known.
    func defect(of request: HTTPClientRequest) -> String? {
        let texts = [scope, accessKey, secretKey, sessionToken ?? "-", payloadHash]
        guard texts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
            return "a text of its signature is empty, or has another character than visible ones of ASCII"
        }
        let path = request.url.utf8.dropFirst(request.origin.utf8.count)
        guard path.allSatisfy(Self.isUnreserved) else {
            return "a signed URL has a character in its path that would have to be escaped, or a query"
        }
        // libcurl sorts whole lines: "name-x: …" would come before "name: …".
        let names = request.headers.map { $0.0.lowercased() }
        for name in names where names.contains(where: { $0 != name && $0.hasPrefix(name) }) {
            return "the header \(name) is the beginning of another one's name, which libcurl signs in the wrong order"
        }
        guard request.headers.allSatisfy({ !$0.1.isEmpty }) else { return "a signed header has no value" }
        return nil
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
