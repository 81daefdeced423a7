import Cryptography
import Foundation
package import HTTPServer
package import JSON
import Synchronization

/// APNs, a push service and a server with webhooks in one, over TLS on this machine: `/3/device/TOKEN`, `/push/NAME`
/// and `/hook/NAME`. Keeps every push, and answers as a story says.
package final class StoryProvider: HTTPHandler {
    /// A push as it came.
    package struct Push: Sendable {
        /// The path: whose it is.
        package var path: String
        /// Names are in lower case.
        package var headers: [String: String]
        package var body: [UInt8]

        /// The payload of APNs, or the event of a webhook.
        package var json: JSONValue? { try? JSONValue(parsing: body) }
        /// The name that a repeat has as well.
        package var id: String? { headers["apns-id"] ?? headers["webhook-id"] }
    }

    private struct State {
        var pushes: [Push] = []
        var answers: [String: HTTPResponse] = [:]
        var server: HTTPServer?
    }

    private static let headers = [
        "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
        "authorization", "content-encoding", "content-type", "ttl", "urgency", "topic", "webhook-id",
        "webhook-timestamp", "webhook-signature",
    ]

    private let state = Mutex(State())
    private let folder = TemporaryFolder()

    private init() {}

    /// A provider on a free port.
    package static func start() async throws -> StoryProvider {
        let provider = StoryProvider()
        try Data(SigningKey.generate().pem.utf8).write(to: provider.folder.url.appendingPathComponent("AuthKey.p8"))
        var configuration = HTTPServerConfiguration()
        configuration.tls = HTTPServerConfiguration.TLS(
            certificateFile: TestCertificate.shared.file, keyFile: TestCertificate.shared.key)
        let server = try await HTTPServer.start(configuration, handler: provider)
        provider.state.withLock { $0.server = server }
        return provider
    }

    /// Ends its server.
    package func stop() async { await state.withLock { $0.server }?.stop(grace: .zero) }

    /// `https://localhost` and the port.
    package var origin: String { "https://localhost:\(state.withLock { $0.server }!.port)" }

    /// The settings of services that send here.
    package var settings: [String: String] {
        [
            "FANFARE_APNS_KEY_FILE": folder.path("AuthKey.p8"), "FANFARE_APNS_KEY_ID": "ABC123DEFG",
            "FANFARE_APNS_TEAM_ID": "DEF123GHIJ", "FANFARE_APNS_TOPIC": "com.example.gallery",
            "FANFARE_APNS_DEVELOPMENT_URL": origin, "FANFARE_APNS_PRODUCTION_URL": origin,
            "FANFARE_VAPID_SUBJECT": "mailto:push@example.com", "FANFARE_PUSH_LOOPBACK": "true",
            "FANFARE_PUSH_CA_FILE": TestCertificate.shared.file,
        ]
    }

    /// The number of pushes to all paths.
    package var count: Int { state.withLock { $0.pushes.count } }

    /// Everything that came to a path, in order.
    package func pushes(_ path: String) -> [Push] { state.withLock { $0.pushes.filter { $0.path == path } } }

    /// Waits until a path has so many pushes.
    package func pushes(_ path: String, atLeast count: Int) async throws -> [Push] {
        try await eventually("\(count) pushes to \(path)") { self.pushes(path).count >= count }
        return pushes(path)
    }

    /// Answers pushes to a path from now on; nil as a provider that takes them.
    package func answer(_ path: String, _ status: Int?, _ body: String = "") {
        state.withLock {
            $0.answers[path] = status.map { HTTPResponse(status: $0, body: .bytes(Array(body.utf8))) }
        }
    }

    package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 1 << 20) }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        var push = Push(path: request.path, headers: [:], body: [])
        for name in Self.headers { push.headers[name] = request.head.headers[name] }
        if case .bytes(let bytes) = request.body { push.body = bytes }
        return .now(
            state.withLock { state in
                state.pushes.append(push)
                let accepted = request.path.hasPrefix("/push/") ? 201 : 200
                return state.answers[request.path] ?? HTTPResponse(status: accepted, body: .bytes([]))
            })
    }

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        HTTPResponse(status: refusal.status, body: .bytes([]))
    }
}
