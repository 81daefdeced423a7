import TextForms

/// An answer of an object store that is no success: the reaction, and the cause for people.
struct S3Refusal: Error, Hashable {
    /// The reaction.
    enum Kind: Hashable {
        /// The bucket has no such object.
        case noObject
        /// The object ends before the range that was asked for.
        case beyond
        /// The answer has no body, so that the cause is not known (`HEAD`).
        case silent
        /// Another attempt may succeed.
        case passing
        /// The store has no space, or the bucket has a quota.
        case full
        /// Another key may be taken.
        case key
        /// The operator has to correct something.
        case lasting
    }

    let kind: Kind
    /// Status and code of the answer, with the remedy.
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// Reads an answer; nil for a success.
    init?(status: Int, body: [UInt8], isHead: Bool = false) {
        guard !(200..<300).contains(status) else { return nil }
        let code = Self.code(of: body)
        let kind = Self.kind(status, code, isHead: isHead)
        let answer = code.isEmpty ? "the store answered \(status)" : "the store answered \(status) \(code)"
        self.init(kind, "\(answer); \(Self.remedy(kind, status, code))")
    }

    /// The code of an error's XML document: letters and digits alone, since it goes to the log. Empty without one.
    static func code(of body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(4096), as: UTF8.self)
        guard let begin = text.firstPlace(of: "<Code>")?.upperBound else { return "" }
        let code = text[begin...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return code.utf8.count <= 64 ? String(code) : ""
    }

    private static let passing: Set = [
        "InternalError", "OperationAborted", "RequestTimeout", "ServiceUnavailable", "SlowDown", "Throttling",
        "ThrottlingException", "TooManyRequests", "XMinioServerNotInitialized",
        // Bytes that were changed on their way.
        "BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch",
    ]

    private static let full: Set = [
        "InsufficientStorage", "QuotaExceeded", "ServiceQuotaExceeded", "StorageFull", "XMinioAdminBucketQuotaExceeded",
        "XMinioStorageFull",
    ]

    private static let key: Set = [
        "ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "TokenRefreshRequired",
    ]

    private static func kind(_ status: Int, _ code: String, isHead: Bool) -> Kind {
        if full.contains(code) || status == 507 { return .full }
        if passing.contains(code) || [408, 429].contains(status) || (500...599).contains(status) { return .passing }
        if key.contains(code) { return .key }
        if code.isEmpty, isHead { return .silent }
        if status == 416 { return .beyond }
        if status == 404, code == "NoSuchKey" || code.isEmpty { return .noObject }
        return .lasting
    }

    private static func remedy(_ kind: Kind, _ status: Int, _ code: String) -> String {
        switch (kind, code) {
        case (.noObject, _): return "the bucket has no such object"
        case (.beyond, _): return "the object ends before the range"
        case (.silent, _): return "the answer says no cause"
        case (.passing, _): return "try again later"
        case (.full, _): return "make room in the bucket, or raise its quota"
        case (_, "InvalidAccessKeyId"): return "the store has no such access key: see assets-credentials-file"
        case (_, "SignatureDoesNotMatch"): return "the access key has another secret, or a proxy changes requests"
        case (.key, _): return "the session token has ended: write a new one into the file of assets-credentials-file"
        case (_, "RequestTimeTooSkewed"): return "this machine's clock differs from the store's: set it by NTP"
        case (_, "NoSuchBucket"): return "make the bucket, or correct the setting 'assets'"
        case (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"), (_, "TemporaryRedirect"),
            (_, "IllegalLocationConstraintException"):
            return "the bucket is in another region: see assets-region and assets-endpoint"
        case _ where status == 301 || status == 307 || status == 308:
            return "the bucket is at another address: see assets-region and assets-endpoint"
        case _ where status == 401 || status == 403:
            return
                "the access key needs s3:GetObject, s3:PutObject and s3:DeleteObject below the prefix, and s3:ListBucket of the bucket"
        default: return "see the log of the store"
        }
    }
}
