import Cryptography
import HTTPClient
import RecordStore
import Telemetry
import TextForms
import Timing

/// Requests to one bucket, signed and repeated. Any number of stores may share one.
package final class S3Bucket: Sendable {
    /// Bytes that an answer without an asset's bytes may have.
    private static let answerBytesMax = 64 << 10
    /// The rate below which a body counts as standing still, in bytes a second.
    private static let slowestRate: Int64 = 512 << 10

    static let done = Counter(
        "fanfare_s3_requests_total", "Requests for assets to the object store.", labels: ["outcome": "done"])
    static let repeated = Counter(
        "fanfare_s3_requests_total", "Requests for assets to the object store.", labels: ["outcome": "repeated"])
    static let failed = Counter(
        "fanfare_s3_requests_total", "Requests for assets to the object store.", labels: ["outcome": "failed"])
    static let time = Histogram(
        "fanfare_s3_request_seconds", "From a request to the object store to the end of its answer.")

    let location: S3Location
    private let endpoint: S3Endpoint
    private let credentials: S3Credentials
    private let patience: Duration
    /// The clock of the pauses between attempts.
    private let clock: any TimeSource
    private let http: HTTPClient

    /// - Parameters:
    ///   - caFile: the issuers to trust in place of the system's; nil for those.
    ///   - patience: the time for an answer, without the time that a body takes.
    package init(
        _ location: S3Location, at endpoint: S3Endpoint, credentials: S3Credentials, caFile: String? = nil,
        patience: Duration = .seconds(15)
    ) throws(S3SettingsError) {
        try endpoint.check(location.bucket)
        self.location = location
        self.endpoint = endpoint
        self.credentials = credentials
        self.patience = patience
        clock = Time.source
        var configuration = HTTPClientConfiguration()
        configuration.caFile = caFile
        configuration.connectTimeout = min(.seconds(5), patience)
        configuration.userAgent = "fanfare"
        http = HTTPClient(configuration)
        _ = (Self.done, Self.repeated, Self.failed, Self.time)
    }

    /// Sends a request until it is answered for good.
    /// - Parameters:
    ///   - method: GET, HEAD, PUT or DELETE; each may be done twice.
    ///   - key: of unreserved characters alone.
    ///   - file: the body, with its hash and size; nil for none.
    ///   - answerMax: the most bytes of a success.
    /// - Returns: a success, or a refusal of the kinds `noObject`, `beyond` and `silent`.
    /// - Throws: `StoreError`, `CancellationError`.
    func send(
        _ method: String, _ key: String, headers: [(String, String)] = [], file: S3File? = nil, answerMax: Int = 0
    ) async throws -> Result<HTTPClientResponse, S3Refusal> {
        var request = HTTPClientRequest(method, endpoint.url(of: key, in: location.bucket), headers: headers)
        if let file, file.size > 0 { request.body = .file(path: file.path) }
        request.timeout = patience + .seconds((file?.size ?? 0) / Self.slowestRate)
        // A head is counted by libcurl as its body would be.
        request.responseBytesMaximum = method == "HEAD" ? 1 << 40 : max(answerMax, Self.answerBytesMax)
        var retries = S3Retries()
        let began = clock.now
        var hasRenewed = false
        while true {
            let used = credentials.current
            sign(&request, used, file)
            let failure: StoreError
            switch try await attempt(request) {
            case .success(let response): return .success(response)
            case .failure(let refusal):
                switch refusal.kind {
                case .noObject, .beyond, .silent: return .failure(refusal)
                case .key where !hasRenewed && credentials.renew(used):
                    hasRenewed = true
                    continue
                case .full: throw fail(.full(words(method, key, refusal.text)))
                case .key, .lasting: throw fail(.failed(words(method, key, refusal.text)))
                case .passing: failure = .unavailable(words(method, key, refusal.text))
                }
            }
            guard let pause = retries.next(after: clock.now - began, share: .random(in: 0...1)) else {
                throw fail(failure)
            }
            Self.repeated.increment()
            try await clock.sleep(for: pause)
        }
    }

    /// Sends a request once. A connection that cannot be made is a refusal, too.
    private func attempt(_ request: HTTPClientRequest) async throws -> Result<HTTPClientResponse, S3Refusal> {
        let began = Time.now
        defer { Self.time.record(Time.now - began) }
        do {
            let response = try await http.send(request)
            let isHead = request.method == "HEAD"
            if let refusal = S3Refusal(status: response.status, body: response.body, isHead: isHead) {
                return .failure(refusal)
            }
            Self.done.increment()
            return .success(response)
        } catch let error as HTTPClientError {
            switch error.kind {
            case .tls: return .failure(S3Refusal(.lasting, error.reason + hint))
            case .invalidRequest, .forbiddenAddress: return .failure(S3Refusal(.lasting, error.reason))
            case .responseTooLarge:
                throw fail(.unreadable("\(error) The store has other bytes than were asked for."))
            case .resolution: return .failure(S3Refusal(.passing, error.reason + hint))
            case .connection, .timedOut, .refused, .connectionLost, .malformedResponse, .closed:
                return .failure(S3Refusal(.passing, error.reason))
            }
        }
    }

    private func sign(_ request: inout HTTPClientRequest, _ key: S3Key, _ file: S3File?) {
        request.signature = HTTPClientSignature(
            scope: "aws:amz:\(endpoint.region):s3", accessKey: key.accessKey, secretKey: key.secretKey,
            sessionToken: key.sessionToken, payloadHash: Hexadecimal.encode(file?.hash ?? SHA256.hash([])))
    }

    private func fail(_ error: StoreError) -> StoreError {
        Self.failed.increment()
        return error
    }

    private var hint: String {
        endpoint.isPathStyle ? "" : " A store without names of buckets needs assets-path-style."
    }

    /// An attempt and its outcome.
    func words(_ method: String, _ key: String, _ text: String) -> String {
        let attempt = ["GET": "read", "HEAD": "look at", "PUT": "write", "DELETE": "remove"][method] ?? method
        return "cannot \(attempt) s3://\(location.bucket)/\(key): \(text)"
    }
}

/// A file as the body of a request.
struct S3File {
    var path: String
    /// The SHA-256 of its bytes.
    var hash: [UInt8]
    var size: Int64
}
