import CloudModel
import Cryptography
import HTTPServer
import RecordService
import S3Assets
import TextForms

/// The signature of a request by Version 4, computed from the request as AWS documents it.
struct S3TwinSignature {
    private let head: HTTPRequestHead
    private let body: [UInt8]
    private let region: String

    init(_ head: HTTPRequestHead, body: [UInt8], region: String) {
        self.head = head
        self.body = body
        self.region = region
    }

    /// The code of the reason for which a request is refused; nil if one of the keys signed it.
    func defect(_ keys: Set<S3Key>) -> String? {
        guard let fields, let date = head.headers["x-amz-date"], let payload = head.headers["x-amz-content-sha256"]
        else {
            return "AccessDenied"
        }
        let scope = (fields["Credential"] ?? "").split(separator: "/").map(String.init)
        guard scope.count == 5, scope[3] == "s3", scope[4] == "aws4_request", date.hasPrefix(scope[1] + "T") else {
            return "AuthorizationQueryParametersError"
        }
        guard scope[2] == region else { return "AuthorizationHeaderMalformed" }
        guard let key = keys.first(where: { $0.accessKey == scope[0] }) else { return "InvalidAccessKeyId" }
        guard head.headers["x-amz-security-token"] == key.sessionToken else { return "InvalidToken" }
        guard isNow(date) else { return "RequestTimeTooSkewed" }
        guard payload == Hexadecimal.encode(SHA256.hash(body)) else { return "XAmzContentSHA256Mismatch" }
        let names = (fields["SignedHeaders"] ?? "").split(separator: ";").map(String.init)
        let present = Set(head.headers.all.map { $0.name.lowercased() })
        // All of these have to be signed, and nothing that was not sent.
        let needed = present.filter { $0 == "host" || $0 == "content-type" || $0.hasPrefix("x-amz-") }
        guard names == names.sorted(), Set(names).isSubset(of: present), needed.isSubset(of: names) else {
            return "SignatureDoesNotMatch"
        }
        let canonical = [
            head.isHead ? "HEAD" : head.method, String(head.target.prefix { $0 != "?" }), query,
            names.map { "\($0):\(value($0))\n" }.joined(), names.joined(separator: ";"), payload,
        ].joined(separator: "\n")
        let text = [
            "AWS4-HMAC-SHA256", date, scope[1...].joined(separator: "/"),
            Hexadecimal.encode(SHA256.hash(Array(canonical.utf8))),
        ].joined(separator: "\n")
        var code = Array("AWS4\(key.secretKey)".utf8)
        for part in scope[1...] + [text] { code = HMACSHA256(key: code).code(for: Array(part.utf8)) }
        return fields["Signature"] == Hexadecimal.encode(code) ? nil : "SignatureDoesNotMatch"
    }

    /// The parts of the header `Authorization`.
    private var fields: [String: String]? {
        let algorithm = "AWS4-HMAC-SHA256 "
        guard let text = head.headers["Authorization"], text.hasPrefix(algorithm) else { return nil }
        let pairs = text.dropFirst(algorithm.count).split(separator: ",").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (halves[0].filter { $0 != " " }, halves.count == 2 ? halves[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The value of a header with its spaces joined.
    private func value(_ name: String) -> String {
        head.headers.values(name).map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: ",")
    }

    private var query: String {
        let text = head.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return text.split(separator: "&").map { $0.contains("=") ? String($0) : "\($0)=" }.sorted().joined(
            separator: "&")
    }

    /// Returns true for a time within 15 minutes of now, as `20260301T120000Z`.
    private func isNow(_ date: String) -> Bool {
        let digits = Array(date)
        guard digits.count == 16 else { return false }
        let text =
            "\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))T"
            + "\(String(digits[9..<11])):\(String(digits[11..<13])):\(String(digits[13..<15]))Z"
        guard let time = Timestamp(iso8601: text) else { return false }
        return abs(time.milliseconds - Timestamp.wallClock().milliseconds) <= 900_000
    }
}
