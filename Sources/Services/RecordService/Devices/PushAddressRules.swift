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
            try check("webPush.endpoint", refusal(address.kind, web.endpoint))
            guard VerifyingKey.isPoint(web.publicKey) else {
                throw .badRequest("webPush.keys.p256dh is no uncompressed point of 65 bytes on the curve P-256")
            }
            try check(web.authentication.count, in: 16...16, "webPush.keys.auth")
        case .webhook(let hook):
            try check("webhook.url", refusal(address.kind, hook.url))
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

    private static func check(_ name: String, _ refusal: String?) throws(CloudError) {
        if let refusal { throw .badRequest("\(name): \(refusal)") }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
