import CloudModel
import HTTPClient
import HTTPServer
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The connections to providers, over a real server.
@Suite struct PushTransportTests {
    /// Keeps requests, and answers as a provider that is away.
    private final class Provider: HTTPHandler {
        let requests = Mutex<[HTTPRequest]>([])
        let response: HTTPResponse

        init(_ response: HTTPResponse) { self.response = response }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 16 << 20) }
        func answer(_ request: HTTPRequest) -> HTTPAnswer {
            requests.withLock { $0.append(request) }
            return .now(response)
        }
        func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(status: refusal.status, body: .empty) }
    }

    private func request(_ url: String, _ headers: [(name: String, value: String)] = []) -> PushRequest {
        PushRequest(url: url, headers: headers, body: Array("body".utf8))
    }

    @Test("an answer has headers in lower case and at most 4 KiB of its body, and a redirection is not followed")
    func answers() async throws {
        let headers = [("Retry-After", "7"), ("Location", "/elsewhere")]
        let provider = Provider(
            HTTPResponse(status: 307, headers: headers, body: .bytes([UInt8](repeating: 1, count: 1 << 20))))
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: provider)
        let transport = GuardedTransport(
            OutgoingGuard(hosts: [], allowsLoopback: true), MultiplexingConfiguration(), timeout: .seconds(600))
        let answer = await transport.send(request("http://127.0.0.1:\(server.port)/a?b=c", [("ttl", "5")]))
        await transport.close()
        await server.stop(grace: .seconds(2))
        guard case .response(let response) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(response.status == 307 && response.body.count <= 4096)
        #expect(response.retryAfter(now: Timestamp(milliseconds: 0)) == .seconds(7))
        let requests = provider.requests.withLock { $0 }
        #expect(requests.map(\.path) == ["/a"] && requests.first?.method == "POST")
        #expect(requests.first?.headers["TTL"] == "5" && requests.first?.body == .bytes(Array("body".utf8)))
    }

    @Test("URLs that the guard refuses make no connection, and the outcome is one that drops the push")
    func forbidden() async {
        let transport = GuardedTransport(
            OutgoingGuard(hosts: ["*"]), MultiplexingConfiguration(), timeout: .seconds(600))
        for url in [
            "http://example.com/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://10.1/",
            "https://push.example.com:81/", "https://a:b@example.com/", "https://ex\u{e4}mple.com/", "",
        ] {
            let answer = await transport.send(request(url))
            let outcome = answer.outcome { _ in .taken }
            #expect(outcome == .dropped(PushFailure(.forbiddenAddress)), "\(url)")
        }
        await transport.close()
    }

    @Test("an origin that was not named gets no request")
    func unnamed() async {
        let transport = ProviderTransport(to: ["https://api.push.example.com"], MultiplexingConfiguration())
        for url in ["https://api.push.example.com.evil.org/3/device/a", "https://other.example.com/", "nothing"] {
            guard case .unprocessed(.other) = await transport.send(request(url)) else {
                Issue.record("\(url) was sent to")
                continue
            }
        }
        #expect(transport.connectionsLately(to: "https://api.push.example.com") == 0)
        await transport.close()
    }

    @Test("a server that is not there is a connection that failed, unprocessed")
    func absent() async throws {
        let transport = GuardedTransport(
            OutgoingGuard(hosts: [], allowsLoopback: true), MultiplexingConfiguration(), timeout: .seconds(600))
        // Port 1 is nobody's.
        guard case .unprocessed(.connection) = await transport.send(request("http://127.0.0.1:1/")) else {
            Issue.record("somebody answered")
            return
        }
        await transport.close()
    }

    @Test("each kind of failure of the client is a fault, and none but the known is called unprocessed")
    func faults() async {
        let kinds: [(HTTPClientError.Kind, PushFault)] = [
            (.resolution, .connection), (.connection, .connection), (.connectionLost, .reset), (.refused, .refused),
            (.timedOut, .timeout), (.forbiddenAddress, .forbiddenAddress), (.tls, .tls), (.malformedResponse, .other),
            (.responseTooLarge, .other), (.closed, .other), (.invalidRequest, .other),
        ]
        for (kind, fault) in kinds { #expect(PushFault(kind) == fault) }
        guard case .unknown(.other) = await PushAnswer.reading({ throw CancellationError() }) else {
            Issue.record("a cancelled request has an answer")
            return
        }
    }
}
