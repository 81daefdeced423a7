import CloudModel
import Cryptography
import Foundation
import JSON
import Synchronization
import Testing
import TextForms
import Waiting

@testable import Push

/// Requests of RFC 8030 and what follows from their answers. Encryption itself is tested in `CryptographyTests`.
@Suite struct WebPushProviderTests {
    private static let keys = SigningKeys([.generate(), .generate()])
    private static let threads = WorkerThreads(count: 1)

    private static func address(
        _ endpoint: String = "https://push.example.net/p/abc", takesSilent: Bool = false, key: [UInt8]? = nil
    ) -> WebPushAddress {
        WebPushAddress(
            endpoint: endpoint, publicKey: SigningKey.generate().publicPoint,
            authentication: [UInt8](repeating: 3, count: 16), serverKey: key ?? keys.current.publicPoint,
            takesSilent: takesSilent)
    }

    private static func provider(
        _ transport: ScriptedTransport, _ clock: WallClock = WallClock(seconds: Sample.seconds)
    ) throws -> WebPushProvider {
        let tokens = VAPIDTokens(keys: keys, subject: try VAPIDSubject("mailto:push@example.com"), now: clock.now)
        return WebPushProvider(tokens: tokens, transport: transport, threads: threads, now: clock.now)
    }

    private static func request(_ push: OutgoingPush) async throws -> PushRequest {
        let transport = ScriptedTransport(status: 201)
        #expect(try await provider(transport).send(push) == .accepted(status: 201))
        return try #require(transport.requests.first)
    }

    private static func claims(_ request: PushRequest) throws -> JSONValue {
        let token = try #require(request["authorization"]?.split(separator: ".").dropFirst().first)
        return try JSONValue(parsing: #require(Base64.url.decode(String(token))))
    }

    // MARK: Requests

    @Test("a visible push has all headers and an encrypted body")
    func visible() async throws {
        let request = try await Self.request(Sample.push(.webPush(Self.address())))
        #expect(request.url == "https://push.example.net/p/abc" && request.method == "POST")
        #expect(
            request.headers.map(\.name) == [
                "authorization", "content-encoding", "content-type", "ttl", "urgency", "topic",
            ])
        #expect(request["content-encoding"] == "aes128gcm" && request["content-type"] == "application/octet-stream")
        #expect(request["ttl"] == "600" && request["urgency"] == "high" && request.hasPlainHeaders)
        let expected = Sample.push(.webPush(Self.address())).payload.bytes
        #expect(request.body.count == expected.count + 103)
        let key = Base64.url.encode(Self.keys.current.publicPoint)
        #expect(request["authorization"]?.hasPrefix("vapid t=ey") == true)
        #expect(request["authorization"]?.hasSuffix(", k=\(key)") == true)
        #expect(
            try Self.claims(request) == [
                "aud": "https://push.example.net", "exp": .integer(Sample.seconds + 43_200),
                "sub": "mailto:push@example.com",
            ])
    }

    @Test("silent pushes are normal, read marks low, and both only for those that take them")
    func silent() async throws {
        var push = Sample.push(.webPush(Self.address(takesSilent: true)), Appearance())
        #expect(try await Self.request(push)["urgency"] == "normal")
        push.isReadMark = true
        #expect(try await Self.request(push)["urgency"] == "low")
        let transport = ScriptedTransport(status: 201)
        let refused = PushOutcome.dropped(PushFailure(reason: "shows-nothing"))
        #expect(try await Self.provider(transport).send(Sample.push(.webPush(Self.address()), Appearance())) == refused)
        // A badge without an alert shows nothing where contents are not sent.
        #expect(
            try await Self.provider(transport).send(
                Sample.push(.webPush(Self.address()), Appearance(), contents: .none, badge: 1)) == refused)
        #expect(transport.requests.isEmpty)
    }

    @Test("keys and bodies are made on the given threads, not on the caller's")
    func threads() async throws {
        let thread = await Self.threads.run { _ in "\(pthread_self())" }
        let callers = Mutex<[String]>([])
        let now: @Sendable () -> Timestamp = {
            callers.withLock { $0.append("\(pthread_self())") }
            return Timestamp(milliseconds: Sample.seconds * 1000)
        }
        let tokens = VAPIDTokens(keys: Self.keys, subject: try VAPIDSubject("mailto:push@example.com"), now: now)
        let provider = WebPushProvider(
            tokens: tokens, transport: ScriptedTransport(status: 400), threads: Self.threads, now: now)
        _ = await provider.send(Sample.push(.webPush(Self.address())))
        // One look at the clock for the request, one for its token; the third is for the answer.
        #expect(callers.withLock { Array($0.prefix(2)) } == [thread, thread])
        #expect(callers.withLock { $0.count } == 3)
    }

    @Test("a time of life that is over is 0")
    func late() async throws {
        var push = Sample.push(.webPush(Self.address()))
        push.expires = Timestamp(milliseconds: 5)
        #expect(try await Self.request(push)["ttl"] == "0")
    }

    @Test("topics have 32 characters, which follow from the identifier", arguments: Sample.hostile + ["chat", "x"])
    func topics(identifier: String) async throws {
        let request = try await Self.request(Sample.push(.webPush(Self.address()), collapseID: identifier))
        let topic = try #require(request["topic"])
        #expect(topic.utf8.count == 32 && Base64.url.decode(topic)?.count == 24 && request.hasPlainHeaders)
        let again = try await Self.request(Sample.push(.webPush(Self.address()), collapseID: identifier))
        #expect(again["topic"] == topic)
        let others = [nil, "", identifier + "x", Sample.id().description]
        for other in others {
            #expect(try await Self.request(Sample.push(.webPush(Self.address()), collapseID: other))["topic"] != topic)
        }
    }

    @Test("the payload has the topic as its tag where there is an identifier, as workers see no headers")
    func tags() async throws {
        func push(_ identifier: String?) -> OutgoingPush {
            Sample.push(.webPush(Self.address()), collapseID: identifier)
        }
        let whole = push(nil).payload.sent(within: 3993).bytes.count
        #expect(try await Self.request(push("")).body.count == whole + 103)
        let tag = String(repeating: "x", count: 32)
        let tagged = push(nil).payload.sent(within: 3993, tag: tag).bytes.count
        for identifier in ["chat"] + Sample.hostile.filter({ !$0.isEmpty }) {
            #expect(try await Self.request(push(identifier)).body.count == tagged + 103)
        }
    }

    @Test("without an identifier, a push that is sent again has its topic, and another push another")
    func ownTopics() async throws {
        var push = Sample.push(.webPush(Self.address()))
        let first = try await Self.request(push)["topic"]
        #expect(try await Self.request(push)["topic"] == first)
        push.id = Sample.id(8)
        #expect(try await Self.request(push)["topic"] != first)
    }

    @Test("a payload that APNs would take whole is pruned to 4,096 encrypted bytes")
    func pruned() async throws {
        for filler in [3000, 3900, 4090] {
            let title = AlertText<String>(String(repeating: "x", count: filler))
            let look = Appearance(alert: AlertText("text"), title: title)
            let request = try await Self.request(Sample.push(.webPush(Self.address()), look))
            #expect(request.body.count <= 4096)
        }
    }

    @Test(
        "endpoints that are no URLs for pushes are dropped",
        arguments: [
            "", "http://push.example.net/", "https://", "https:///x", "https://user@push.example.net/",
            "https://user:pw@push.example.net/", "https://push.example.net/\r\nx: y", "https://push.example.net/ x",
            "https://push.example.net\\@inside/", "https://push.example.net:0/", "https://push.example.net:65536/",
            "https://push.example.net:x/", "https://push.example.net:/", "https://[::1/", "https://a[b]/",
            "https://push.example.net/#f", "https://püsh.example.net/", "file:///etc/passwd", "https://%31/",
            "https://x.example/" + String(repeating: "x", count: 2048),
        ])
    func malformedEndpoints(endpoint: String) async throws {
        let transport = ScriptedTransport(status: 201)
        #expect(
            try await Self.provider(transport).send(Sample.push(.webPush(Self.address(endpoint))))
                == .dropped(PushFailure(reason: "malformed-endpoint")))
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "the audience and the line are the origin of the endpoint",
        arguments: [
            ("https://push.example.net/x?y", "push.example.net"), ("HTTPS://PUSH.example.net:443", "push.example.net"),
            ("https://push.example.net:8443/", "push.example.net:8443"), ("https://[2001:db8::1]/", "[2001:db8::1]"),
            ("https://[2001:db8::1]:8443?x", "[2001:db8::1]:8443"),
        ])
    func origins(endpoint: String, authority: String) async throws {
        let push = Sample.push(.webPush(Self.address(endpoint)))
        #expect(try Self.claims(await Self.request(push))["aud"]?.string == "https://\(authority)")
        #expect(try Self.provider(ScriptedTransport(status: 201)).line(of: push.address) == authority)
    }

    @Test("keys that are no keys are dropped")
    func malformedKeys() async throws {
        let transport = ScriptedTransport(status: 201)
        var address = Self.address()
        address.publicKey[64] ^= 1
        let dropped = PushOutcome.dropped(PushFailure(reason: "malformed-keys"))
        #expect(try await Self.provider(transport).send(Sample.push(.webPush(address))) == dropped)
        address = Self.address()
        address.authentication = []
        #expect(try await Self.provider(transport).send(Sample.push(.webPush(address))) == dropped)
        #expect(transport.requests.isEmpty)
    }

    // MARK: VAPID

    @Test("each address has the key that it was made with; a key that is lost makes it doubtful")
    func serverKeys() async throws {
        let former = Self.keys.all[1].publicPoint
        let request = try await Self.request(Sample.push(.webPush(Self.address(key: former))))
        #expect(request["authorization"]?.hasSuffix("k=\(Base64.url.encode(former))") == true)
        let strange = Sample.push(.webPush(Self.address(key: SigningKey.generate().publicPoint)))
        #expect(
            try await Self.provider(ScriptedTransport(status: 201)).send(strange)
                == .doubtful(PushFailure(reason: "unknown-server-key")))
    }

    @Test("an audience has one token, renewed after 6 of its 12 hours, and when the clock goes back")
    func tokens() async throws {
        let clock = WallClock(seconds: Sample.seconds)
        let tokens = VAPIDTokens(keys: Self.keys, subject: try VAPIDSubject("mailto:push@example.com"), now: clock.now)
        let point = Self.keys.current.publicPoint
        func token() -> String? { tokens.authorization(for: "https://a.example", key: point) }
        let first = token()
        clock.move(bySeconds: 6 * 3600 - 1)
        #expect(token() == first && tokens.authorization(for: "https://b.example", key: point) != first)
        clock.move(bySeconds: 1)
        let second = token()
        #expect(second != first && token() == second)
        clock.move(bySeconds: -1)
        #expect(token() != second)
        // However many audiences clients choose, tokens are right.
        for number in 0..<VAPIDTokens.keptMax + 10 {
            #expect(tokens.authorization(for: "https://\(number).example", key: point) != nil)
        }
        #expect(tokens.publicKey == Base64.url.encode(point))
    }

    @Test("keys are in the folder of the key ring, one file a container and environment")
    func file() {
        #expect(VAPIDTokens.file(beside: "/data/token.keys", Sample.scope) == "/data/vapid-iCloud.test.development.pem")
        #expect(VAPIDTokens.file(beside: "token.keys", Sample.scope) == "vapid-iCloud.test.development.pem")
    }

    @Test(
        "subjects that push services take",
        arguments: [
            "mailto:push@example.com", "MAILTO:Push@Example.com", "https://example.com", "https://example.com:8443/x",
            "mailto:a@localhost.example", "https://local.example/", "https://127.example/",
        ])
    func subjects(text: String) throws { #expect(try VAPIDSubject(text).text == text) }

    @Test(
        "a subject at the operator's own machine is refused",
        arguments: [
            "mailto:push@localhost", "mailto:push@mac.local", "mailto:push@LOCALHOST", "mailto:push@mac.local.",
            "https://localhost", "https://localhost:8443/x", "https://mac.local/", "https://MAC.Local./",
            "https://a.localhost", "https://127.0.0.1/", "https://[::1]:443/", "https://[::1]:8443/", "mailto:a@local",
        ])
    func localSubjects(text: String) { #expect(throws: VAPIDSubjectError.local) { try VAPIDSubject(text) } }

    @Test(
        "other texts are no subjects",
        arguments: [
            "", "push@example.com", "mailto:", "mailto:@", "mailto:a@", "mailto:@b", "mailto:a@b@c",
            "http://example.com",
            "tel:5", "mailto:a@b\r\nx", "mailto:ä@b.example", "mailto:a@b.example?subject=x", "mailto:a@b,c@d",
            "https://user@example.com", "mailto:<a@b.example>", "mailto:a@" + String(repeating: "b", count: 255),
        ])
    func malformedSubjects(text: String) { #expect(throws: VAPIDSubjectError.malformed) { try VAPIDSubject(text) } }

    // MARK: Answers

    @Test("accepted and dead addresses", arguments: [200, 201, 202, 204])
    func accepted(status: Int) { #expect(Self.outcome(status) == .accepted(status: status)) }

    private static func outcome(
        _ status: Int, _ contents: PushContents = .full, headers: [(name: String, value: String)] = []
    ) -> PushOutcome {
        WebPushAnswer(response: PushResponse(status: status, headers: headers, body: Array("<secret>".utf8)))
            .outcome(contents, now: Timestamp(milliseconds: Sample.seconds * 1000))
    }

    @Test("each status has its outcome")
    func rows() {
        #expect(Self.outcome(404) == .gone(PushFailure(status: 404, reason: "not-found"), since: nil))
        #expect(Self.outcome(410) == .gone(PushFailure(status: 410, reason: "gone"), since: nil))
        let large = PushFailure(status: 413, reason: "too-large")
        #expect(Self.outcome(413) == .tooLarge(large) && Self.outcome(413, .none) == .dropped(large))
        let pause = [(name: "retry-after", value: "9")]
        let many = PushFailure(status: 429, reason: "too-many-requests")
        #expect(Self.outcome(429) == .failed(many, .address(after: nil)))
        #expect(Self.outcome(429, headers: pause) == .failed(many, .address(after: .seconds(9))))
        for status in [500, 502, 503, 504, 599] {
            let failure = PushFailure(status: status, reason: "server-error")
            #expect(Self.outcome(status) == .failed(failure, .line(after: nil)))
            #expect(Self.outcome(status, headers: pause) == .failed(failure, .line(after: .seconds(9))))
        }
        for (status, reason) in [(400, "bad-request"), (401, "unauthorized"), (403, "forbidden")] {
            #expect(Self.outcome(status) == .doubtful(PushFailure(status: status, reason: reason)))
        }
        for status in [301, 302, 307, 308] {
            #expect(Self.outcome(status) == .dropped(PushFailure(status: status, reason: "redirection")))
        }
        #expect(Self.outcome(405) == .dropped(PushFailure(status: 405, reason: "refused")))
        #expect(Self.outcome(101) == .dropped(PushFailure(status: 101, reason: "unexpected-status")))
    }

    @Test("a redirection is an answer like others: nothing goes to its place")
    func redirection() async throws {
        let transport = ScriptedTransport(status: 302, headers: [("location", "https://127.0.0.1/")])
        #expect(
            try await Self.provider(transport).send(Sample.push(.webPush(Self.address())))
                == .dropped(PushFailure(status: 302, reason: "redirection")))
        #expect(transport.requests.count == 1)
    }
}
