import CloudModel
import Cryptography
import JSON
import Testing
import TextForms

@testable import Push

/// Signed requests to servers and what follows from their answers.
@Suite struct WebhookProviderTests {
    private static let secrets = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 24)]

    private static func address(_ url: String = "https://hooks.example.com/in", secrets: [[UInt8]] = secrets)
        -> PushAddress
    { .webhook(WebhookAddress(url: url, secrets: secrets)) }

    private static func provider(
        _ transport: ScriptedTransport, _ clock: WallClock = WallClock(seconds: Sample.seconds)
    ) -> WebhookProvider { WebhookProvider(scope: Sample.scope, transport: transport, now: clock.now) }

    private static func request(_ push: OutgoingPush) async throws -> PushRequest {
        let transport = ScriptedTransport(status: 204)
        #expect(await provider(transport).send(push) == .accepted(status: 204))
        return try #require(transport.requests.first)
    }

    /// The example of Standard Webhooks' libraries.
    @Test("signatures are those of Standard Webhooks")
    func vector() throws {
        let secret = try #require(Base64.standard.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signed = #"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#
        let code = HMACSHA256(key: secret).code(for: Array(signed.utf8))
        #expect(Base64.standard.encode(code) == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("a request has the name, the time and a signature for each secret")
    func headers() async throws {
        let request = try await Self.request(Sample.push(Self.address()))
        #expect(request.url == "https://hooks.example.com/in" && request.hasPlainHeaders)
        #expect(
            request.headers.map(\.name) == ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(request["content-type"] == "application/cloudevents+json; charset=utf-8")
        #expect(request["webhook-id"] == Sample.id().description && request["webhook-timestamp"] == "1700000000")
        let signed = Array("\(Sample.id()).1700000000.".utf8) + request.body
        let expected = Self.secrets.map { "v1,\(Base64.standard.encode(HMACSHA256(key: $0).code(for: signed)))" }
        #expect(request["webhook-signature"] == expected.joined(separator: " "))
    }

    @Test("sent again, a request has the same name and another time and signature")
    func again() async throws {
        let transport = ScriptedTransport(.unknown(.timeout), .response(PushResponse(status: 200)))
        let clock = WallClock(seconds: Sample.seconds)
        let provider = Self.provider(transport, clock)
        let push = Sample.push(Self.address())
        #expect(await provider.send(push) == .failed(PushFailure(reason: "time-out"), .line(after: nil)))
        clock.move(bySeconds: 60)
        #expect(await provider.send(push) == .taken)
        let requests = transport.requests
        #expect(requests[0].body == requests[1].body && requests[0]["webhook-id"] == requests[1]["webhook-id"])
        #expect(requests[1]["webhook-timestamp"] == "1700000060")
        #expect(requests[0]["webhook-signature"] != requests[1]["webhook-signature"])
    }

    @Test("the body is a CloudEvent with the payload")
    func body() async throws {
        var push = Sample.push(Self.address(), fields: ["name": .string("ä\r\n\"")], collapseID: "\r\n")
        push.merged = 3
        let json = try #require(try await Self.request(push).json?.object)
        #expect(
            json.map(\.key) == ["specversion", "id", "source", "type", "datacontenttype", "merged", "data"])
        #expect(json["specversion"] == "1.0" && json["id"]?.string == Sample.id().description)
        #expect(json["source"] == "/iCloud.test/development" && json["type"] == "fanfare.notification")
        #expect(json["merged"] == 3 && json["data"]?["aps"] == ["alert": "text"])
        #expect(json["data"]?["ck"]?["qry"]?["af"]?["name"] == "ä\r\n\"")
        #expect(try await Self.request(Sample.push(Self.address())).json?["merged"] == nil)
    }

    @Test(
        "URLs that are none for webhooks are dropped",
        arguments: ["http://x.example/", "https://a@b/", "x", "https://x/\n"])
    func malformed(url: String) async {
        let transport = ScriptedTransport(status: 200)
        let outcome = await Self.provider(transport).send(Sample.push(Self.address(url)))
        #expect(outcome == .dropped(PushFailure(reason: "malformed-endpoint")) && transport.requests.isEmpty)
    }

    @Test("nothing is sent without a signature")
    func unsigned() async {
        let transport = ScriptedTransport(status: 200)
        let outcome = await Self.provider(transport).send(Sample.push(Self.address(secrets: [])))
        #expect(outcome == .dropped(PushFailure(reason: "no-secret")) && transport.requests.isEmpty)
    }

    @Test("the line is the host")
    func line() {
        let provider = Self.provider(ScriptedTransport(status: 200))
        #expect(provider.line(of: Self.address("https://Hooks.example.com:444/x")) == "hooks.example.com:444")
    }

    private static func outcome(
        _ status: Int, _ contents: PushContents = .full, headers: [(name: String, value: String)] = []
    ) -> PushOutcome {
        WebhookAnswer(response: PushResponse(status: status, headers: headers))
            .outcome(contents, now: Timestamp(milliseconds: Sample.seconds * 1000))
    }

    @Test("each status has its outcome")
    func rows() {
        for status in [200, 201, 202, 204, 299] { #expect(Self.outcome(status) == .accepted(status: status)) }
        #expect(Self.outcome(410) == .gone(PushFailure(status: 410, reason: "gone"), since: nil))
        let large = PushFailure(status: 413, reason: "too-large")
        #expect(Self.outcome(413) == .tooLarge(large))
        #expect(Self.outcome(413, .none) == .failed(large, .address(after: nil)))
        let pause = [(name: "retry-after", value: "9")]
        for (status, reason) in [
            (301, "redirection"), (400, "bad-request"), (401, "unauthorized"), (403, "forbidden"), (404, "not-found"),
            (429, "too-many-requests"), (418, "refused"), (101, "unexpected-status"),
        ] {
            let failure = PushFailure(status: status, reason: reason)
            #expect(Self.outcome(status) == .failed(failure, .address(after: nil)))
            #expect(Self.outcome(status, headers: pause) == .failed(failure, .address(after: .seconds(9))))
        }
        for status in [500, 503] {
            let failure = PushFailure(status: status, reason: "server-error")
            #expect(Self.outcome(status, headers: pause) == .failed(failure, .line(after: .seconds(9))))
        }
    }
}
