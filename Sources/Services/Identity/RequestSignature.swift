package import CloudModel
package import Cryptography
import TextForms

/// The headers of a request that is signed with a server-to-server key (docs/cloudkit.md#authentication).
package struct RequestSignature: Hashable, Sendable {
    /// The largest difference between the date of a request and now, either way.
    package static let clockWindow = Duration.seconds(600)

    /// `X-Apple-CloudKit-Request-KeyID`.
    package var keyID: String
    /// `X-Apple-CloudKit-Request-ISO8601Date`, as it was signed.
    package var date: String
    /// `X-Apple-CloudKit-Request-SignatureV1`.
    package var signature: String

    package init(keyID: String, date: String, signature: String) {
        self.keyID = keyID
        self.date = date
        self.signature = signature
    }

    /// The bytes that are signed: date, hash of the body, path.
    package static func message(date: String, bodyHash: String, subpath: String) -> [UInt8] {
        Array("\(date):\(bodyHash):\(subpath)".utf8)
    }

    /// Checks the date and the signature. Clients differ in two points, and both forms are accepted: the path with or
    /// without its query, and for an empty body the hash of nothing or an empty text.
    /// - Parameter target: the request's target as it was sent, beginning with `/database/1/`.
    /// - Throws: `AUTHENTICATION_FAILED` with the reason.
    package func check(_ key: VerifyingKey, target: String, body: [UInt8], at now: Timestamp) throws(CloudError) {
        try checkDate(at: now)
        try check(key, target: target, body: body)
    }

    /// Checks only the date, which needs no body.
    /// - Throws: `AUTHENTICATION_FAILED` with the reason.
    package func checkDate(at now: Timestamp) throws(CloudError) {
        guard let time = Timestamp(iso8601: date) else {
            throw Self.failed("X-Apple-CloudKit-Request-ISO8601Date is no date such as 2026-01-31T12:00:00Z: '\(date)'")
        }
        let window = Self.clockWindow.components.seconds * 1000
        guard abs(time.milliseconds - now.milliseconds) <= window else {
            throw Self.failed(
                "the request's date is '\(date)', which is more than \(window / 60_000) minutes from now; check the clock"
            )
        }
    }

    private func check(_ key: VerifyingKey, target: String, body: [UInt8]) throws(CloudError) {
        guard let bytes = Base64.standard.decode(signature) else {
            throw Self.failed("X-Apple-CloudKit-Request-SignatureV1 is not base64")
        }
        let path = target.prefix { $0 != "?" }
        let hash = Base64.standard.encode(SHA256.hash(body))
        for subpath in path.utf8.count == target.utf8.count ? [target] : [String(path), target] {
            for bodyHash in body.isEmpty ? [hash, ""] : [hash] {
                let message = Self.message(date: date, bodyHash: bodyHash, subpath: subpath)
                if key.isValid(bytes, for: message) { return }
            }
        }
        throw Self.failed(
            "the signature is not the key's of '\(date):\(hash):\(path)'; sign exactly these bytes with ECDSA over SHA-256"
        )
    }

    private static func failed(_ reason: String) -> CloudError { CloudError(.authenticationFailed, reason) }
}
