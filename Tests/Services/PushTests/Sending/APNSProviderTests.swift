import CloudModel
import Cryptography
import JSON
import Testing
import TextForms

@testable import Push

/// Requests to APNs and what follows from its answers.
@Suite struct APNSProviderTests {
    private static let key = SigningKey.generate()

    private static func provider(
        _ transport: ScriptedTransport, _ clock: WallClock = WallClock(seconds: Sample.seconds),
        topic: String? = "com.example.app", hasTokens: Bool = true
    ) -> APNSProvider {
        APNSProvider(
            tokens: hasTokens ? APNSTokens(key: key, keyID: "KEYIDKEYID", teamID: "TEAMIDTEAM", now: clock.now) : nil,
            topic: topic, transport: transport, now: clock.now)
    }

    /// The request of a push.
    private static func request(_ push: OutgoingPush, topic: String? = "com.example.app") async throws -> PushRequest {
        let transport = ScriptedTransport(status: 200)
        #expect(await provider(transport, topic: topic).send(push) == .taken)
        return try #require(transport.requests.first)
    }

    private static func claims(_ request: PushRequest) throws -> [JSONValue] {
        let token = try #require(request["authorization"]?.split(separator: " ").last)
        return try token.split(separator: ".").prefix(2).map {
            try JSONValue(parsing: #require(Base64.url.decode(String($0))))
        }
    }

    // MARK: Requests

    @Test("a visible push is an alert with all headers")
    func visible() async throws {
        let request = try await Self.request(Sample.push(.apns(Sample.apns)))
        #expect(
            request.url == "https://api.push.apple.com/3/device/"
                + "0008101820283038404850586068707880889098a0a8b0b8c0c8d0d8e0e8f0f8")
        #expect(request.method == "POST" && request.hasPlainHeaders)
        #expect(
            request.headers.map(\.name) == [
                "authorization", "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration",
                "apns-collapse-id",
            ])
        #expect(request["apns-id"] == Sample.id().description && request["apns-topic"] == "com.example.app")
        #expect(request["apns-push-type"] == "alert" && request["apns-priority"] == "10")
        #expect(request["apns-expiration"] == "1700000600")
        #expect(request["apns-collapse-id"] == Sample.id().description, "a push that is sent again replaces itself")
        #expect(request.json?["aps"] == ["alert": "text"] && request.json?["ck"]?["qry"]?["sid"] == "sub-1")
    }

    @Test("a push that shows nothing is a background push that wakes the app")
    func silent() async throws {
        for appearance in [Appearance<String>(), Appearance(category: "c", isContentMutable: true)] {
            let request = try await Self.request(Sample.push(.apns(Sample.apns), appearance))
            #expect(request["apns-push-type"] == "background" && request["apns-priority"] == "5")
            #expect(request["apns-collapse-id"] == nil)
            #expect(request.json?["aps"]?["content-available"] == 1)
            #expect(request.json?["aps"]?["mutable-content"] == nil)
        }
        // One that the sender makes silent.
        let request = try await Self.request(
            Sample.push(
                .apns(Sample.apns), Appearance(alert: AlertText("x"), soundName: "s"), isVisible: false, badge: 3))
        #expect(request["apns-push-type"] == "background" && request.json?["aps"] == ["content-available": 1])
    }

    @Test("read marks are for now or never")
    func readMarks() async throws {
        var push = Sample.push(.apns(Sample.apns), Appearance())
        push.isReadMark = true
        #expect(try await Self.request(push)["apns-expiration"] == "0")
    }

    @Test("the host is that of the device's environment, and the topic the device's own, if it has one")
    func place() async throws {
        let address = APNSAddress(token: [1], environment: .development, topic: "com.example.other")
        let request = try await Self.request(Sample.push(.apns(address)))
        #expect(request.url == "https://api.sandbox.push.apple.com/3/device/01")
        #expect(request["apns-topic"] == "com.example.other")
        let provider = Self.provider(ScriptedTransport(status: 200))
        #expect(provider.line(of: .apns(address)) == "api.sandbox.push.apple.com")
        #expect(provider.line(of: .apns(Sample.apns)) == "api.push.apple.com")
    }

    @Test(
        "a collapse identifier that fits is sent as it is",
        arguments: ["chat", "a b", String(repeating: "x", count: 64)])
    func collapsing(identifier: String) async throws {
        let request = try await Self.request(Sample.push(.apns(Sample.apns), collapseID: identifier))
        #expect(request["apns-collapse-id"] == identifier)
    }

    @Test("any other collapse identifier is hashed", arguments: Sample.hostile)
    func hostileIdentifiers(identifier: String) async throws {
        let request = try await Self.request(Sample.push(.apns(Sample.apns), collapseID: identifier))
        #expect(request["apns-collapse-id"] == Base64.url.encode(SHA256.hash(Array(identifier.utf8))))
        #expect(request.hasPlainHeaders && request["apns-topic"] == "com.example.app")
    }

    @Test("without contents, the collapse identifier is hashed as well: it may be a field's value")
    func hiddenIdentifier() async throws {
        let request = try await Self.request(
            Sample.push(.apns(Sample.apns), contents: .none, collapseID: "alice"))
        #expect(request["apns-collapse-id"] == Base64.url.encode(SHA256.hash(Array("alice".utf8))))
    }

    @Test("topics that no header could have are dropped", arguments: ["", "a\r\nx: y", "a b", "ä", "\u{0}"])
    func hostileTopics(topic: String) async {
        let transport = ScriptedTransport(status: 200)
        let push = Sample.push(.apns(APNSAddress(token: [1], environment: .production, topic: topic)))
        #expect(await Self.provider(transport).send(push) == .dropped(PushFailure(reason: "BadTopic")))
        #expect(transport.requests.isEmpty)
    }

    @Test("without any topic the operator's settings are wrong")
    func noTopic() async {
        let transport = ScriptedTransport(status: 200)
        let outcome = await Self.provider(transport, topic: nil).send(Sample.push(.apns(Sample.apns)))
        #expect(outcome == .misconfigured(PushFailure(reason: "MissingTopic")) && transport.requests.isEmpty)
    }

    @Test("with a certificate there is no token")
    func certificate() async throws {
        let transport = ScriptedTransport(status: 403, body: #"{"reason": "ExpiredProviderToken"}"#)
        let provider = Self.provider(transport, hasTokens: false)
        let outcome = await provider.send(Sample.push(.apns(Sample.apns)))
        #expect(outcome == .misconfigured(PushFailure(status: 403, reason: "ExpiredProviderToken")))
        #expect(transport.requests.map { $0["authorization"] } == [nil])
    }

    // MARK: Tokens

    @Test("all pushes of a half hour have one token, whose time of issue is its beginning")
    func tokens() async throws {
        let transport = ScriptedTransport(status: 200)
        let clock = WallClock(seconds: Sample.seconds)
        let provider = Self.provider(transport, clock)
        for pause in [0, 999, 1, 1799, 1] as [Int64] {
            clock.move(bySeconds: pause)
            _ = await provider.send(Sample.push(.apns(Sample.apns)))
        }
        let headers = transport.requests.map { $0["authorization"] }
        #expect(headers[0] == headers[1] && headers[1] != headers[2] && headers[2] == headers[3])
        #expect(headers[3] != headers[4])
        let issued = try transport.requests.map { try Self.claims($0)[1]["iat"]?.integer }
        #expect(issued == [1_699_999_200, 1_699_999_200, 1_700_001_000, 1_700_001_000, 1_700_002_800])
        #expect(try Self.claims(transport.requests[0])[0] == ["alg": "ES256", "kid": "KEYIDKEYID"])
        #expect(try Self.claims(transport.requests[0])[1]["iss"] == "TEAMIDTEAM")
        #expect(headers[0]?.hasPrefix("bearer ") == true)
    }

    @Test("an expired token is renewed once, and the push is sent again at once")
    func expired() async throws {
        let expired = PushAnswer.response(
            PushResponse(status: 403, body: Array(#"{"reason": "ExpiredProviderToken"}"#.utf8)))
        let transport = ScriptedTransport(expired, .response(PushResponse(status: 200)), expired)
        let clock = WallClock(seconds: Sample.seconds)
        let provider = Self.provider(transport, clock)
        let push = Sample.push(.apns(Sample.apns))
        #expect(await provider.send(push) == .taken)
        var requests = transport.requests
        #expect(requests.count == 2 && requests[0]["authorization"] != requests[1]["authorization"])
        #expect(requests[0].body == requests[1].body && requests[0]["apns-id"] == requests[1]["apns-id"])
        #expect(try Self.claims(requests[1])[1]["iat"]?.integer == Sample.seconds)
        // Refused again in the same half hour: the clock is wrong.
        let wrong = PushOutcome.misconfigured(PushFailure(status: 403, reason: "ExpiredProviderToken"))
        #expect(await provider.send(push) == wrong)
        #expect(await provider.send(push) == wrong)
        requests = transport.requests
        #expect(requests.count == 4 && Set(requests[1...].map { $0["authorization"] }).count == 1)
        // The next half hour has a token of its own, and one more.
        clock.move(bySeconds: 1800)
        #expect(await provider.send(push) == wrong)
        #expect(transport.requests.count == 6)
    }

    @Test("many pushes that an expired token failed renew it once")
    func expiredTogether() {
        let clock = WallClock(seconds: Sample.seconds)
        let tokens = APNSTokens(key: Self.key, keyID: "K", teamID: "T", now: clock.now)
        let refused = tokens.current()
        let renewed = (0..<5).map { _ in tokens.renewed(after: refused) }
        #expect(Set(renewed).count == 1 && renewed[0] != refused && tokens.current() == renewed[0])
        #expect(tokens.renewed(after: tokens.current()) == nil)
    }

    @Test("APNs' complaint about many tokens makes no other token")
    func tooManyTokens() async {
        let transport = ScriptedTransport(status: 429, body: #"{"reason": "TooManyProviderTokenUpdates"}"#)
        let provider = Self.provider(transport)
        for _ in 0..<3 {
            #expect(
                await provider.send(Sample.push(.apns(Sample.apns)))
                    == .failed(PushFailure(status: 429, reason: "TooManyProviderTokenUpdates"), .line(after: nil)))
        }
        #expect(transport.requests.count == 3 && Set(transport.requests.map { $0["authorization"] }).count == 1)
    }

    @Test("a push to another kind of address is dropped")
    func otherKind() async {
        let transport = ScriptedTransport(status: 200)
        let push = Sample.push(.webhook(WebhookAddress(url: "https://x.example", secrets: [])))
        #expect(await Self.provider(transport).send(push) == .dropped(PushFailure(reason: "other-kind")))
        #expect(transport.requests.isEmpty)
    }
}
