package import TextForms

/// The form of a sealed token: version, name of the key, payload and code, as base64url, or as base64 in bodies. Both
/// forms are read, padded or not: clients decode tokens and encode them again.
///
/// A holder of a token can read it and cannot change it.
struct SealedToken {
    /// The first byte, to be changed with the form or with what the code is over.
    static let version: UInt8 = 1
    /// Half of an HMAC, as RFC 2104 allows: 128 bits cannot be guessed, and tokens are part of URLs.
    static let codeBytes = 16

    var keyName: String
    var payload: [UInt8]
    var code: [UInt8]

    init(keyName: String, payload: [UInt8], code: [UInt8]) {
        self.keyName = keyName
        self.payload = payload
        self.code = code
    }

    init(_ text: String) throws(SealedTokenError) {
        guard let bytes = Self.bytes(of: text), let version = bytes.first else {
            throw .malformed
        }
        guard version == Self.version else { throw .unknownVersion(version) }
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) + Self.codeBytes else { throw .malformed }
        let content = bytes.dropFirst(2 + Int(bytes[1]))
        let name = String(validating: bytes[2..<content.startIndex], as: UTF8.self)
        guard let name, KeyRing.isName(name) else { throw .malformed }
        keyName = name
        payload = Array(content.dropLast(Self.codeBytes))
        code = Array(content.suffix(Self.codeBytes))
    }

    /// The bytes of a text in either alphabet, with all of its padding or none.
    private static func bytes(of text: String) -> [UInt8]? {
        var digits = text.utf8[...]
        if digits.count.isMultiple(of: 4) {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard let plain = String(digits) else { return nil }
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        return Base64.url.decode(plain) ?? Base64.standard.decode(plain + padding)
    }

    func text(as form: Base64) -> String {
        form.encode([Self.version, UInt8(keyName.utf8.count)] + Array(keyName.utf8) + payload + code)
    }

    /// Returns the bytes that are authenticated. Each part but the last has its length before it, so that no two tokens
    /// share a code.
    func authenticated(purpose: String) -> [UInt8] {
        var bytes = [Self.version, UInt8(keyName.utf8.count)] + Array(keyName.utf8)
        withUnsafeBytes(of: UInt64(purpose.utf8.count).bigEndian) { bytes += $0 }
        return bytes + Array(purpose.utf8) + payload
    }
}

extension KeyRing {
    /// A token with the payload in it, which everybody can read and only holders of the ring can make.
    ///
    /// The purpose says what the token is for and is part of its code, not of its text: a token for one is no token
    /// for another.
    /// - Parameter form: the alphabet; the one of URLs, if it is not given.
    package func seal(_ payload: [UInt8], purpose: String, as form: Base64 = .url) -> String {
        let content = content
        var token = SealedToken(keyName: content.currentName, payload: payload, code: [])
        token.code = Array(
            content.keys[content.currentName]!.mac.code(for: token.authenticated(purpose: purpose)).prefix(
                SealedToken.codeBytes))
        return token.text(as: form)
    }

    /// The payload of a token that this ring, or an earlier state of it, sealed for that purpose.
    package func open(_ text: String, purpose: String) throws(SealedTokenError) -> [UInt8] {
        let token = try SealedToken(text)
        guard let key = content.keys[token.keyName] else { throw .unknownKey(token.keyName) }
        guard key.mac.isValid(token.code, for: token.authenticated(purpose: purpose)) else { throw .forged }
        return token.payload
    }
}
