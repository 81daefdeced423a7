import CloudJSON
import CloudModel
import JSON
import RecordService
import RecordStore
import TestSupport
import Testing
import TextForms

@testable import WebAPI

/// The endpoints of the addresses to which pushes are sent.
@Suite struct PushEndpointTests {
    private static let token = String(repeating: "0aF1", count: 16)
    private static let keys: JSONValue = [
        "p256dh": .string(Base64.url.encode(WebBench.webPushKey)),
        "auth": .string(Base64.url.encode([UInt8](repeating: 3, count: 16))),
    ]

    private static func browser(_ path: String) -> JSONValue {
        ["endpoint": .string("https://push.example.com/\(path)"), "expirationTime": nil, "keys": keys]
    }

    private func push(
        _ bench: WebBench, _ user: WebBench.SignedIn, _ device: JSONValue, _ members: JSONObject
    ) async throws -> Answer {
        var body = members
        body["deviceID"] = device
        return try await bench.send("POST", bench.device("devices/push"), .object(body), user: user)
    }

    private func kinds(_ bench: WebBench, _ user: WebBench.SignedIn) async throws -> [[String?]] {
        let answer = try await bench.send("GET", bench.device("devices/list"), user: user)
        return (answer.json["devices"]?.array ?? []).map { ($0["push"]?.array ?? []).map { $0["kind"]?.string } }
    }

    @Test("addresses of each kind are registered, listed without what they are, and removed")
    func registerAndRemove() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let apns: JSONValue = [
                "token": .string(Self.token), "environment": "development", "topic": "com.example.a",
            ]
            let first = try await push(bench, alice, "phone", ["apns": apns])
            #expect(first.json == ["deviceID": "phone", "kinds": ["apns"]])
            // As PushSubscription.toJSON() gives it; times need not be whole.
            var browser = Self.browser("x").object!
            browser["expirationTime"] = 1_795_285_635_013.5
            let second = try await push(
                bench, alice, "phone", ["webPush": .object(browser), "contents": "none", "silent": true])
            #expect(second.json["kinds"] == ["apns", "webPush"])
            let third = try await push(bench, alice, "phone", ["webhook": ["url": "https://example.com/x"]])
            #expect(third.json["kinds"] == ["apns", "webPush", "webhook"])
            #expect(third.json["secret"]?.string?.hasPrefix("whsec_") == true)
            let listed = try await bench.send("GET", bench.device("devices/list"), user: alice)
            let text = String(decoding: listed.body, as: UTF8.self)
            #expect(!text.contains("example") && !text.lowercased().contains(Self.token.lowercased()))
            #expect(listed.json["devices"]?[0]?["push"]?[1]?["contents"] == "none")
            #expect(listed.json["devices"]?[0]?["push"]?[1]?["registered"]?.integer != nil)
            let removed = try await bench.send(
                "POST", bench.device("devices/push/remove"), ["deviceID": "phone", "kind": "webPush"], user: alice)
            #expect(removed.json == ["deviceID": "phone", "kinds": ["apns", "webhook"]])
            let deleted = try await bench.send(
                "DELETE", bench.device("devices/push/remove"), user: alice,
                query: [("deviceID", "phone"), ("kind", "apns")])
            #expect(deleted.json == ["deviceID": "phone", "kinds": ["webhook"]])
            for query in [[("deviceID", "phone")], [("kind", "apns")], [("deviceID", "phone"), ("kind", "x")]] {
                let answer = try await bench.send(
                    "DELETE", bench.device("devices/push/remove"), user: alice, query: query)
                #expect(answer.status == 400)
            }
            #expect(try await kinds(bench, alice) == [["webhook"]])
        }
    }

    @Test("an address says what it is sent when it is behind: the newest push, or a silent one")
    func whenBehind() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let addresses: [JSONObject] = [
                ["apns": ["token": .string(Self.token), "environment": "development"]],
                ["webPush": Self.browser("x")], ["webhook": ["url": "https://example.com/x"]],
            ]
            for (wish, isSilent): (JSONValue?, Bool) in [(nil, false), ("silent", true), ("newest", false)] {
                for var address in addresses {
                    address["whenBehind"] = wish
                    #expect(try await push(bench, alice, "phone", address).status == 200)
                    let read = try PushAddressDecoding.address(
                        JSONPath(.object(address)), serverKey: WebBench.webPushKey)
                    #expect(read.isSilentWhenBehind == isSilent, "\(read.kind) \(wish as Any)")
                }
            }
            for wish: JSONValue in ["other", true, ""] {
                var address = addresses[0]
                address["whenBehind"] = wish
                expect(try await push(bench, alice, "phone", address), .badRequest)
            }
        }
    }

    @Test("a browser's subscription that another user registers is that user's")
    func moves() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("a", alice)
            try await bench.register("b", bob)
            for (device, user) in [("a", alice), ("b", bob)] {
                let answer = try await push(bench, user, .string(device), ["webPush": Self.browser("x")])
                #expect(answer.status == 200, "\(answer.json)")
            }
            #expect(try await kinds(bench, alice) == [[]])
            #expect(try await kinds(bench, bob) == [["webPush"]])
        }
    }

    @Test("tokens/register takes a token of APNs for the device that clientId names")
    func foreignTokens() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            func register(_ token: String, _ client: JSONValue?) async throws -> Answer {
                var body: JSONObject = [
                    "apnsToken": .string(token), "apnsEnvironment": "production", "apnsTopic": "com.example.a",
                ]
                body["clientId"] = client
                return try await bench.send("POST", bench.device("tokens/register"), .object(body), user: alice)
            }
            #expect(try await register(Self.token, "phone").json == [:])
            #expect(try await kinds(bench, alice) == [["apns"]])
            for token in ["ab", String(repeating: "ab", count: 31), String(repeating: "ab", count: 101), "xyz", ""] {
                expect(try await register(token, "phone"), .badRequest, "\(token)")
            }
            expect(try await register(Self.token, nil), .badRequest)
            expect(try await register(Self.token, "nobodys"), .notFound)
        }
    }

    @Test("the key of Web Push is public to users; a service without one refuses browsers")
    func keys() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let answer = try await bench.send("GET", bench.device("push/keys"), user: alice)
            #expect(answer.json == ["applicationServerKey": .string(Base64.url.encode(WebBench.webPushKey))])
            #expect(try await bench.send("GET", bench.device("push/keys")).status == 421)
        }
    }

    @Test("devices/list has what became of the pushes to an address")
    func results() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let hook: JSONObject = ["webhook": ["url": "https://example.com/x"]]
            #expect(try await push(bench, alice, "phone", hook).status == 200)
            func listed() async throws -> JSONObject? {
                let answer = try await bench.send("GET", bench.device("devices/list"), user: alice)
                return answer.json["devices"]?[0]?["push"]?[0]?.object
            }
            #expect(try await listed()?.map(\.key).sorted() == ["contents", "kind", "registered"])
            try await bench.system.service.store.write { transaction in
                var address = try transaction.pushAddresses(of: DeviceID(trusted: "phone"))[0]
                address.lastSuccess = Timestamp(milliseconds: 70)
                address.lastFailure = StoredPushAddress.Failure(
                    time: Timestamp(milliseconds: 80), reason: "too-many-requests")
                try transaction.save(address)
            }
            #expect(try await listed()?["lastSuccess"] == 70)
            #expect(try await listed()?["lastFailure"] == ["time": 80, "reason": "too-many-requests"])
            // Another registration knows nothing of the pushes to the former one.
            let other: JSONObject = ["webhook": ["url": "https://example.com/y"]]
            #expect(try await push(bench, alice, "phone", other).status == 200)
            #expect(try await listed()?.map(\.key).sorted() == ["contents", "kind", "registered"])
        }
    }

    @Test("a value that is no address is a bad request")
    func refusals() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            func apns(_ token: String, _ environment: String = "production") -> JSONObject {
                ["apns": ["token": .string(token), "environment": .string(environment)]]
            }
            func web(_ member: String, _ value: JSONValue) -> JSONObject {
                var browser = Self.browser("x").object!
                if member == "p256dh" || member == "auth" {
                    var keys = Self.keys.object!
                    keys[member] = value
                    browser["keys"] = .object(keys)
                } else {
                    browser[member] = value
                }
                return ["webPush": .object(browser)]
            }
            let refused: [JSONObject] = [
                [:], ["apns": apns(Self.token)["apns"]!, "webhook": ["url": "https://a/"]], apns("0g"), apns("abc"),
                apns(String(repeating: "ab", count: 31)), apns(Self.token, "sandbox"), ["apns": ["token": "ab"]],
                web("endpoint", "http://a/"), web("endpoint", "https://u:p@a/"), web("endpoint", 1),
                web("p256dh", "AA"), web("p256dh", .string(Base64.url.encode([4] + [UInt8](repeating: 1, count: 64)))),
                web("p256dh", "=="), web("auth", "AA"), web("auth", "AAAAAAAAAAAAAAAAAAAAAA=="),
                web("expirationTime", "soon"), web("expirationTime", 1e300), web("keys", nil),
                ["webhook": ["url": "https://a/", "secret": "plain"]],
                ["webhook": ["url": "https://a/", "secret": "whsec_AA=="]], ["webhook": ["url": "ftp://a/"]],
                ["webhook": ["url": "https://a/"], "contents": "half"],
            ]
            for members in refused {
                expect(try await push(bench, alice, "phone", members), .badRequest, "\(members)")
            }
            #expect(try await kinds(bench, alice) == [[]])
        }
    }
}
