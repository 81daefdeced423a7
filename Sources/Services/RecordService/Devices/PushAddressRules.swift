import CloudModel
import Cryptography

/// The rules of addresses of pushes.
enum PushAddressRules {
    /// - Parameter refusal: the reason why nothing is sent to a URL.
    /// - Throws: `BAD_REQUEST` with the part that is wrong, never with its value.
    static func check(
        _ address: PushAddress, _ refusal: RecordService.Options.URLRefusal
    ) throws(CloudError) {
        switch address {
        case .apns(let apns):
            try check(apns.token.count, in: Limits.apnsTokenBytesMin...Limits.apnsTokenBytesMax, "apns.token")
            if let topic = apns.topic { try check(topic: topic) }
        case .webPush(let web):
            try check(url: web.endpoint, "webPush.endpoint", refusal(address.kind, web.endpoint))
            guard VerifyingKey.isPoint(web.publicKey) else {
                throw .badRequest("webPush.keys.p256dh is no uncompressed point of 65 bytes on the curve P-256")
            }
            try check(web.authentication.count, in: 16...16, "webPush.keys.auth")
        case .webhook(let hook):
            try check(url: hook.url, "webhook.url", refusal(address.kind, hook.url))
            for secret in hook.secrets {
                try check(
                    secret.count, in: Limits.webhookSecretBytesMin...Limits.webhookSecretBytesMax, "webhook.secret")
            }
        }
    }

    private static func check(_ count: Int, in range: ClosedRange<Int>, _ name: String) throws(CloudError) {
        guard !range.contains(count) else { return }
        let wanted =
            range.count == 1 ? "\(range.lowerBound) bytes" : "\(range.lowerBound) to \(range.upperBound) bytes"
        throw .badRequest("\(name) has \(wanted), not \(count)")
    }

    /// A bundle ID, of which APNs makes others with a suffix.
    private static func check(topic: String) throws(CloudError) {
        let isName = topic.utf8.allSatisfy { byte in
            isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        }
        guard isName, (1...Limits.nameCharactersMax).contains(topic.utf8.count) else {
            throw .badRequest(
                "apns.topic is a bundle ID: 1 to \(Limits.nameCharactersMax) letters, digits, dots and dashes")
        }
    }

    /// A URL with a host, perhaps a port, and no user, password or fragment; ASCII alone.
    private static func check(url: String, _ name: String, _ refusal: String?) throws(CloudError) {
        guard url.utf8.count <= Limits.pushURLBytesMax else {
            throw .badRequest("\(name) has at most \(Limits.pushURLBytesMax) bytes")
        }
        guard url.utf8.allSatisfy({ isOfURL($0) }) else {
            throw .badRequest("\(name) has characters that no URL has; write them as %XX, and a host as punycode")
        }
        guard let slashes = url.firstRange(of: "://") else { throw .badRequest("\(name) must begin with https://") }
        let rest = url[slashes.upperBound...]
        guard !rest.contains("#") else { throw .badRequest("\(name) must not have a fragment") }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .badRequest("\(name) must not have a user or password") }
        guard isHost(authority) else {
            throw .badRequest("\(name) needs a host, and a port of 1 to 65535 if it has one")
        }
        if let refusal { throw .badRequest("\(name): \(refusal)") }
    }

    private static func isHost(_ authority: Substring) -> Bool {
        let (host, port): (Substring, Substring?)
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[...end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return false }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        } else {
            (host, port) = (authority, nil)
        }
        if let port {
            guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(port), (1...65535).contains(number)
            else { return false }
        }
        let inner = host.hasPrefix("[") ? host.dropFirst().dropLast() : host
        return !inner.isEmpty
            && inner.utf8.allSatisfy { byte in
                isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_") || host.hasPrefix("[") && byte == UInt8(ascii: ":")
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Returns true if RFC 3986 has a place for the byte.
    private static func isOfURL(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }
}
