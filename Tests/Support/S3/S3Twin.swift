import Cryptography
package import HTTPServer
package import S3Assets
import Synchronization
import TextForms

/// An object store of this machine with one bucket in memory, as S3 answers. It computes the signature of each request
/// (`S3TwinSignature`), refuses others, and fails as a test says.
package final class S3Twin: HTTPHandler {
    /// The kinds of failures.
    package enum Fault: Hashable, Sendable {
        /// An error of S3.
        case answer(status: Int, code: String)
        /// No answer comes until the request ends.
        case silence
        /// The connection ends in the middle of an object.
        case truncation
        /// An object has other bytes, as many, and says that they are its own.
        case otherBytes
        /// Another object is answered, with the header of its own hash.
        case otherObject
        /// The range is passed over, and all is answered with 200.
        case noRange
        /// One byte more than the range is answered, which the answer says.
        case wideRange
        /// An upload is answered with 200 and not kept.
        case loss
    }

    private struct Object {
        var bytes: [UInt8]
        var hash: String?
    }

    /// A request as it came.
    package struct Visit: Hashable, Sendable {
        package var method: String
        package var host: String
        package var path: String
        package var range: String?
    }

    private struct State {
        var objects: [String: Object] = [:]
        var fault: (kind: Fault, methods: Set<String>, left: Int)?
        var visits: [Visit] = []
        var keys: Set<S3Key>
        var server: HTTPServer?
    }

    package static let bucket = "twin-bucket"
    package static let region = "eu-twin-1"
    package static let key = S3Key(accessKey: "AKIDTWIN", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYTWIN")

    private let isPathStyle: Bool
    private let isSecure: Bool
    private let state: Mutex<State>

    private init(isPathStyle: Bool, isSecure: Bool, keys: Set<S3Key>) {
        self.isPathStyle = isPathStyle
        self.isSecure = isSecure
        state = Mutex(State(keys: keys))
    }

    /// A store on a free port.
    package static func start(
        isPathStyle: Bool = true, isSecure: Bool = false, keys: Set<S3Key> = [key]
    ) async throws -> S3Twin {
        let twin = S3Twin(isPathStyle: isPathStyle, isSecure: isSecure, keys: keys)
        try await twin.begin(on: 0)
        return twin
    }

    private func begin(on port: Int) async throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = port
        if isSecure {
            configuration.tls = HTTPServerConfiguration.TLS(
                certificateFile: TestCertificate.shared.file, keyFile: TestCertificate.shared.key)
        }
        let server = try await HTTPServer.start(configuration, handler: self)
        state.withLock { $0.server = server }
    }

    /// Ends the server; objects stay.
    package func stop() async { await state.withLock { $0.server }?.stop(grace: .zero) }

    /// Starts the server again on its port.
    package func restart() async throws { try await begin(on: port) }

    private var port: Int { state.withLock { $0.server!.port } }

    /// The address. Names below `localhost` lead here, too.
    package var url: String { "\(isSecure ? "https" : "http")://localhost:\(port)" }

    /// The settings of services that keep assets here.
    /// - Parameter credentials: the file of the access key.
    package func settings(credentials: String) -> [String: String] {
        [
            "FANFARE_ASSETS": "s3://\(Self.bucket)/tests", "FANFARE_ASSETS_ENDPOINT": url,
            "FANFARE_ASSETS_REGION": Self.region, "FANFARE_ASSETS_PATH_STYLE": "\(isPathStyle)",
            "FANFARE_ASSETS_CREDENTIALS_FILE": credentials,
        ]
    }

    /// A bucket of this store for a client.
    package func bucket(
        prefix: String = "tests", credentials: S3Credentials = S3Credentials(key), caFile: String? = nil,
        patience: Duration = .seconds(60)
    ) throws -> S3Bucket {
        try S3Bucket(
            S3Location("s3://\(Self.bucket)/\(prefix)"),
            at: S3Endpoint(url: url, region: Self.region, isPathStyle: isPathStyle), credentials: credentials,
            caFile: caFile, patience: patience)
    }

    /// Fails requests from now on.
    /// - Parameters:
    ///   - methods: those that fail.
    ///   - times: the number of failures before the store recovers.
    package func fail(
        _ fault: Fault, on methods: Set<String> = ["GET", "HEAD", "PUT", "DELETE"], times: Int = .max
    ) {
        state.withLock { $0.fault = (fault, methods, times) }
    }

    /// Answers again as it should.
    package func heal() { state.withLock { $0.fault = nil } }

    /// The access keys that are good from now on.
    package func accept(_ keys: Set<S3Key>) { state.withLock { $0.keys = keys } }

    /// All keys of objects, in order.
    package var names: [String] { state.withLock { $0.objects.keys.sorted() } }

    /// All requests so far, in order.
    package var visits: [Visit] { state.withLock(\.visits) }

    /// The bytes of an object; nil for none.
    package func bytes(_ name: String) -> [UInt8]? { state.withLock { $0.objects[name]?.bytes } }

    /// Puts an object into the bucket, as another tool does: without the header of its hash.
    package func put(_ bytes: [UInt8], as name: String) {
        state.withLock { $0.objects[name] = Object(bytes: bytes, hash: nil) }
    }

    /// Removes an object.
    package func forget(_ name: String) { state.withLock { $0.objects[name] = nil } }
}

// MARK: Requests

extension S3Twin {
    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 64 << 20) }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        HTTPResponse(status: refusal.status, body: .bytes(Array(refusal.message.utf8)))
    }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let method = request.head.isHead ? "HEAD" : request.method
        let headers = request.headers
        let visit = Visit(
            method: method, host: headers["Host"] ?? "", path: request.target, range: headers["Range"])
        let (keys, fault) = state.withLock { state in
            state.visits.append(visit)
            return (state.keys, Self.take(&state.fault, method))
        }
        guard case .bytes(let body) = request.body else { return .now(Self.error(400, "InvalidRequest")) }
        if let code = S3TwinSignature(request.head, body: body, region: Self.region).defect(keys) {
            return .now(Self.error(403, code))
        }
        switch fault {
        case .answer(let status, let code): return .now(Self.error(status, code))
        case .silence: return .later { await Self.untilCancelled() }
        default: break
        }
        guard let name = name(visit) else { return .now(Self.error(404, "NoSuchBucket")) }
        switch method {
        case "PUT":
            if fault != .loss {
                let object = Object(bytes: body, hash: headers["x-amz-meta-sha256"])
                state.withLock { $0.objects[name] = object }
            }
            return .now(HTTPResponse(status: 200))
        case "DELETE":
            forget(name)
            return .now(HTTPResponse(status: 204))
        case "GET", "HEAD": return .now(read(name, visit.range, fault))
        default: return .now(Self.error(405, "MethodNotAllowed"))
        }
    }

    private static func take(
        _ fault: inout (kind: Fault, methods: Set<String>, left: Int)?, _ method: String
    ) -> Fault? {
        guard let now = fault, now.methods.contains(method), now.left > 0 else { return nil }
        fault?.left -= 1
        return now.kind
    }

    /// The key that an address names in the bucket; nil for another bucket.
    private func name(_ visit: Visit) -> String? {
        let path = visit.path.prefix { $0 != "?" }.dropFirst()
        if isPathStyle {
            guard path.hasPrefix(Self.bucket + "/") else { return nil }
            return String(path.dropFirst(Self.bucket.count + 1))
        }
        return visit.host.hasPrefix(Self.bucket + ".") ? String(path) : nil
    }

    private func read(_ name: String, _ range: String?, _ fault: Fault?) -> HTTPResponse {
        let objects = state.withLock(\.objects)
        guard var object = objects[name] else { return Self.error(404, "NoSuchKey") }
        if fault == .otherBytes { object.bytes = object.bytes.map { ~$0 } }
        if fault == .otherObject {
            object.bytes = object.bytes.map { ~$0 }
            object.hash = Hexadecimal.encode(SHA256.hash(object.bytes))
        }
        var headers = [("Content-Type", "application/octet-stream")]
        if let hash = object.hash { headers.append(("x-amz-meta-sha256", hash)) }
        let total = object.bytes.count
        var (status, part) = (200, object.bytes[...])
        if let range, fault != .noRange {
            let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            guard ends.count == 2, ends[0] < total else { return Self.error(416, "InvalidRange") }
            let last = min(ends[1] + (fault == .wideRange ? 1 : 0), total - 1)
            part = object.bytes[ends[0]...last]
            status = 206
            headers.append(("Content-Range", "bytes \(ends[0])-\(last)/\(total)"))
        }
        guard fault == .truncation else {
            return HTTPResponse(status: status, headers: headers, body: .bytes(Array(part)))
        }
        let stream = HTTPResponseStream(bufferBytesMaximum: part.count + 1, length: part.count)
        _ = stream.write(Array(part.prefix(part.count / 2)))
        stream.abandon()
        return HTTPResponse(status: status, headers: headers, body: .stream(stream))
    }

    private static func untilCancelled() async -> HTTPResponse {
        let (stream, _) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        return HTTPResponse(status: 500)
    }

    private static func error(_ status: Int, _ code: String) -> HTTPResponse {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>as the test says</Message></Error>"
        return HTTPResponse(
            status: status, headers: [("Content-Type", "application/xml")],
            body: code.isEmpty ? .empty : .bytes(Array(text.utf8)))
    }
}
