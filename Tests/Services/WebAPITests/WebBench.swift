import CloudMessages
import CloudModel
import Cryptography
import Feeds
import HTTPClient
import HTTPServer
import Identity
import JSON
import MemoryLog
import Push
import RecordService
import RecordStore
import TestSupport
import Testing
import TextForms
import WebAPI

/// The service as an app meets it: an HTTP server over the three roles in this process.
final class WebBench: Sendable {
    /// Bytes of a body at most, low enough to be tested.
    static let bodyBytesMax = 256 << 10

    let system: TestSystem
    let apiToken: String
    let keys: KeyRing
    let feeds: FeedService
    let courierTokens: WebCourierTokens
    /// What polls and streams are woken by.
    let news = FeedWakeups()
    private let following: Task<Void, Never>
    private let server: HTTPServer
    private let http = HTTPClient()

    init(
        _ environment: CloudEnvironment = .development, identityProvider: IdentityProvider? = nil,
        rates: RateLimits = RateLimits(), keys: KeyRing = .generate(), store: (any RecordStore)? = nil,
        assets: (any AssetStore)? = nil, isRechecking: Bool = true, courierWait: Duration = .seconds(60),
        trustedProxies: [String] = [], publicURL: String? = nil, operatorCodes: APIScope.OperatorCodes? = nil
    ) async throws {
        system = try await TestSystem(
            log: MemoryLog(), environment: environment, partitions: 2, identityProvider: identityProvider, store: store,
            assets: assets)
        self.keys = keys
        apiToken = try await system.identity.makeAPIToken(note: "test")
        let tail = JournalTail(
            system.log, layout: system.layout, view: MemoryKeyedView(),
            listener: JournalTail.Listener(arrived: { [news] in news.arrived($0) }, missed: news.missed))
        feeds = FeedService(
            FeedSources(system.log, layout: system.layout, journals: tail), keys: keys,
            reading: FeedReading(system.log, news: news))
        courierTokens = WebCourierTokens(keys, scope: system.layout.scope)
        following = Task { [news] in
            await withDiscardingTaskGroup { group in
                if isRechecking { group.addTask { await news.run() } }
                await tail.run()
            }
        }
        let scope = APIScope(
            records: system.service, identity: system.identity, feeds: feeds, courierTokens: courierTokens,
            webAuthTokens: WebAuthTokens(keys, lifetime: .seconds(3600)), queryMarkers: QueryMarkers(keys),
            signIns: SignInAttempts(keys), publicURL: publicURL, webPushKey: { Self.webPushKey },
            courierWait: courierWait, operatorCodes: operatorCodes)
        var configuration = HTTPServerConfiguration()
        configuration.trustedProxies = trustedProxies.compactMap { AddressRange($0) }
        server = try await HTTPServer.start(
            configuration, handler: CloudAPI([scope], bodyBytesMax: Self.bodyBytesMax, rates: rates))
    }

    /// Runs a test on a bench of its own and ends it; the server has to be there to the last.
    /// - Parameters:
    ///     - isRechecking: whether waiting requests read again periodically without a wakeup.
    ///     - courierWait: the time after which a courier's poll is answered with nothing.
    ///     - trustedProxies: the addresses whose `X-Forwarded-For` is believed.
    ///     - publicURL: the setting `public-url`; nil for the address that a request came to.
    static func run(
        _ environment: CloudEnvironment = .development, identityProvider: IdentityProvider? = nil,
        rates: RateLimits = RateLimits(), keys: KeyRing = .generate(), store: (any RecordStore)? = nil,
        assets: (any AssetStore)? = nil, isRechecking: Bool = true, courierWait: Duration = .seconds(60),
        trustedProxies: [String] = [], publicURL: String? = nil, operatorCodes: APIScope.OperatorCodes? = nil,
        _ body: @escaping @Sendable (WebBench) async throws -> Void
    ) async throws {
        try await within {
            let bench = try await WebBench(
                environment, identityProvider: identityProvider, rates: rates, keys: keys, store: store,
                assets: assets, isRechecking: isRechecking, courierWait: courierWait, trustedProxies: trustedProxies,
                publicURL: publicURL, operatorCodes: operatorCodes)
            let result: Result<Void, any Error>
            do {
                try await body(bench)
                let answer = try await bench.send(
                    "POST", bench.database("records/lookup"), body: #"{"records": []}"#)
                #expect(answer.status == 200, "the server goes on")
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await bench.server.stop(grace: .zero)
            await bench.http.close()
            bench.following.cancel()
            await bench.following.value
            await bench.system.stop()
            try result.get()
        }
    }

    /// The key of Web Push: the generator of the curve P-256.
    static let webPushKey = Hexadecimal.decode(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )!

    // MARK: Addresses

    var scopePath: String { "\(system.layout.scope.container)/\(system.layout.scope.environment)" }

    func database(_ endpoint: String, _ database: String = "public") -> String {
        "/database/1/\(scopePath)/\(database)/\(endpoint)"
    }

    func device(_ endpoint: String) -> String { "/device/1/\(scopePath)/\(endpoint)" }

    var signInPath: String { "/auth/1/\(scopePath)/signin" }

    /// The port that the server listens at.
    var port: Int { Int(server.port) }

    // MARK: Requests

    /// How many requests wait for their answer, and how many streams are open.
    var waiting: (answers: Int, streams: Int) { (server.counts.waiting, server.counts.streams) }

    /// Sends a request with the bench's API token, unless another is given.
    func send(
        _ method: String, _ path: String, body: String? = nil, user: SignedIn? = nil,
        query: [(String, String)] = [], apiToken: String?? = .none, headers: [(String, String)] = []
    ) async throws -> Answer {
        try await answer(request(method, path, body.map { Array($0.utf8) }, user, query, apiToken, headers))
    }

    /// Sends bytes that need be no text.
    func send(_ path: String, bytes: [UInt8], user: SignedIn? = nil) async throws -> Answer {
        try await answer(request("POST", path, bytes, user, [], .none, []))
    }

    func send(_ method: String, _ path: String, _ body: JSONValue, user: SignedIn?) async throws -> Answer {
        try await send(method, path, body: String(decoding: try body.serialized(), as: UTF8.self), user: user)
    }

    /// Sends a request as it is, to an address or to a path of the bench's server.
    func raw(
        _ method: String, _ address: String, bytes: [UInt8]? = nil, headers: [(String, String)] = []
    ) async throws -> Answer {
        let url = address.hasPrefix("/") ? "http://127.0.0.1:\(server.port)\(address)" : address
        return try await answer(
            HTTPClientRequest(method, url, headers: headers, body: bytes.map { .bytes($0) } ?? .empty))
    }

    /// Asks a server that is not the bench's own.
    func elsewhere(_ address: String) async throws -> Answer {
        Answer(try await http.send(HTTPClientRequest("GET", address)))
    }

    /// Sends a request, and holds it and the answer against `docs/openapi.yaml`.
    private func answer(_ request: HTTPClientRequest) async throws -> Answer {
        let response = try await http.send(request)
        expectAgreement(Exchange(request, response))
        return Answer(response)
    }

    func stream(_ query: [(String, String)], user: SignedIn?, headers: [(String, String)] = []) async throws
        -> HTTPClientStream
    {
        let request = request("GET", device("notifications/stream"), nil, user, query, .none, headers)
        let stream = try await http.stream(request)
        expectAgreement(Exchange(request, stream))
        return stream
    }

    private func request(
        _ method: String, _ path: String, _ body: [UInt8]?, _ user: SignedIn?, _ query: [(String, String)],
        _ apiToken: String??, _ headers: [(String, String)]
    ) -> HTTPClientRequest {
        var items = query
        if let token = apiToken ?? self.apiToken { items.append(("ckAPIToken", token)) }
        if let user { items.append(("ckWebAuthToken", user.token)) }
        if let client = user?.client { items.append(("clientId", client)) }
        let text = items.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        return HTTPClientRequest(
            method, "http://127.0.0.1:\(server.port)\(path)?\(text)", headers: headers,
            body: body.map { .bytes($0) } ?? .empty)
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                "-._~".utf8.contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let hex = String(byte, radix: 16)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (hex.utf8.count < 2 ? "0" : "") + hex
        }.joined()
    }

    // MARK: Users and devices

    struct SignedIn: Sendable {
        var token: String
        var name: String
        var client: String?
    }

    func signIn(_ user: String) async throws -> SignedIn {
        guard system.layout.scope.environment == .development else { return try await signInWithoutName(user) }
        let answer = try await send("POST", signInPath, body: "{\"user\": \"\(user)\"}")
        return SignedIn(
            token: try #require(answer.json["ckWebAuthToken"]?.string),
            name: try #require(answer.json["userRecordName"]?.string))
    }

    /// In production nobody signs in by name: as if the issuer had verified the user.
    private func signInWithoutName(_ user: String) async throws -> SignedIn {
        let name = try #require(try await system.user(user).user)
        let session = try await system.identity.beginSession(of: name, isBrief: false)
        let tokens = WebAuthTokens(keys, lifetime: .seconds(3600))
        let made = tokens.make(for: session, in: system.layout.scope, at: system.service.now())
        return SignedIn(token: made.token, name: name.rawValue)
    }

    func register(_ device: String, _ user: SignedIn) async throws {
        let answer = try await send("POST", self.device("devices/register"), ["deviceID": .string(device)], user: user)
        #expect(answer.status == 200)
    }

    /// A page of a device's notifications.
    func changes(
        _ device: String, _ user: SignedIn, after token: String? = nil, _ more: JSONObject = [:]
    ) async throws -> Answer {
        var body = more
        body["deviceID"] = .string(device)
        if let token { body["serverChangeToken"] = .string(token) }
        return try await send("POST", self.device("notifications/changes"), .object(body), user: user)
    }

    /// Saves a subscription on all records of the type `T`.
    func subscribe(_ user: SignedIn, _ id: String = "all", info: JSONValue = ["alertBody": "new"]) async throws {
        let answer = try await send(
            "POST", database("subscriptions/modify"),
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionID": .string(id), "subscriptionType": "query", "query": ["recordType": "T"],
                            "firesOn": ["create", "update", "delete"], "notificationInfo": info,
                        ],
                    ]
                ]
            ], user: user)
        #expect(answer.status == 200 && answer.json["subscriptions"]?[0]?["serverErrorCode"] == nil)
    }

    func save(_ name: String, _ fields: JSONValue = [:], user: SignedIn) async throws {
        let answer = try await send(
            "POST", database("records/modify"),
            [
                "operations": [
                    [
                        "operationType": "forceUpdate",
                        "record": ["recordName": .string(name), "recordType": "T", "fields": fields],
                    ]
                ]
            ], user: user)
        #expect(answer.status == 200 && answer.json["records"]?[0]?["serverErrorCode"] == nil, "\(answer.json)")
    }
}

/// An answer, read as JSON.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPClientHeaders
    let body: [UInt8]

    init(_ response: HTTPClientResponse) {
        status = response.status
        headers = response.headers
        body = response.body
    }

    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    var code: String? { json["serverErrorCode"]?.string }

    /// True for an error dictionary (docs/cloudkit.md#errors): its status, and a body of uuid, code and reason.
    var isProperError: Bool {
        guard let code = code.flatMap({ CloudErrorCode(rawValue: $0) }), let uuid = json["uuid"]?.string,
            let reason = json["reason"]?.string, let keys = json.object?.map(\.key)
        else { return false }
        let groups = uuid.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
        return (400..<500).contains(status) && (status == code.httpStatus || status == 405)
            && headers["X-Apple-Request-UUID"] == uuid
            && groups == [8, 4, 4, 4, 12] && !reason.isEmpty
            && Set(keys).isSubset(of: ["uuid", "serverErrorCode", "reason", "retryAfter", "limit", "redirectURL"])
            && headers["Content-Type"]?.hasPrefix("application/json") == true
    }
}

/// Expects an error of a code, in the spec's form.
func expect(
    _ answer: Answer, _ code: CloudErrorCode, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
    let isProper = answer.isProperError
    #expect(isProper, comment ?? "\(answer.status) \(text)", sourceLocation: sourceLocation)
    #expect(answer.code == code.rawValue, comment ?? "\(answer.status) \(text)", sourceLocation: sourceLocation)
}
