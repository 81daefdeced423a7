import CloudModel
import HTTPClient
import JSON
import TestSupport
import Testing
import WebAPI

/// The web courier as Apple's JS meets it (docs/cloudkit.md#web-courier).
@Suite struct CourierEndpointTests {
    private func create(
        _ bench: WebBench, _ user: WebBench.SignedIn, client: JSONValue? = nil
    ) async throws -> (answer: JSONValue, url: String) {
        var body: JSONObject = ["apnsEnvironment": "development"]
        body["clientId"] = client
        let answer = try await bench.send("POST", bench.device("tokens/create"), .object(body), user: user)
        #expect(answer.status == 200)
        return (answer.json, try #require(answer.json["webcourierURL"]?.string))
    }

    private func record(_ answer: Answer) -> String? {
        #expect(answer.status == 200, "\(answer.json)")
        return answer.json["ck"]?["qry"]?["rid"]?.string
    }

    @Test func payloadsComeOneByOneInOrderAndOnce() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.subscribe(
                alice, info: ["alertBody": "new", "additionalFields": ["n"], "shouldBadge": true])
            try await bench.register("phone", alice)
            try await bench.save("before", user: bob)
            let page = try await bench.changes("phone", alice, ["waitSeconds": 60]).json
            #expect(page["notifications"]?[0]?["recordName"] == "before", "it is delivered")
            let (made, url) = try await create(bench, alice)
            #expect(made["apnsEnvironment"] == "development")
            let token = try #require(made["apnsToken"]?.string)
            #expect(url.hasPrefix("http://127.0.0.1:") && url.hasSuffix("/aps?tok=\(token)&ttl=43200"))
            // Earlier notifications are in the feeds. Order is per record in the public database.
            async let waiting = bench.raw("GET", url)
            for number in 0..<3 { try await bench.save("r", ["n": ["value": .integer(Int64(number))]], user: bob) }
            let first = try await waiting
            #expect(record(first) == "r")
            #expect(first.headers["Content-Type"]?.hasPrefix("application/json") == true)
            #expect(first.headers["Access-Control-Allow-Origin"] == "*")
            #expect(first.headers["apns-push-type"] == "alert" && first.headers["apns-priority"] == "10")
            #expect(first.json["aps"] == ["alert": "new", "badge": 2])
            #expect(first.json["ck"]?["ckuserid"]?.string == alice.name && first.json["ck"]?["cid"] != nil)
            var numbers = [first.json["ck"]?["qry"]?["af"]?["n"]?.integer]
            for _ in 0..<2 { numbers.append(try await bench.raw("GET", url).json["ck"]?["qry"]?["af"]?["n"]?.integer) }
            #expect(numbers == [0, 1, 2])
            try await bench.save("last", user: bob)
            #expect(record(try await bench.raw("GET", url)) == "last", "nothing comes twice")
        }
    }

    @Test func whereNothingComesTheAnswerIsEmpty() async throws {
        try await WebBench.run(courierWait: .seconds(1)) { bench in
            let alice = try await bench.signIn("alice")
            try await bench.subscribe(alice)
            let url = try await create(bench, alice).url
            try await bench.save("r", user: try await bench.signIn("bob"))
            // It may take longer than a poll waits.
            var first = try await bench.raw("GET", url)
            while first.body.isEmpty { first = try await bench.raw("GET", url) }
            #expect(record(first) == "r")
            let empty = try await bench.raw("GET", url)
            #expect(empty.status == 200 && empty.body.isEmpty, "asked again, nothing comes twice")
            #expect(empty.headers["apns-priority"] == nil)
        }
    }

    /// The payload is the one that the feed shows.
    @Test func aPayloadIsThatOfTheFeed() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            let url = try await create(bench, alice).url
            try await bench.save("r", user: bob)
            let pushed = try await bench.raw("GET", url).json
            let page = try await bench.changes("phone", alice, ["waitSeconds": 60]).json
            #expect(page["notifications"]?[0]?["pushPayload"] == pushed)
            #expect(page["notifications"]?[0]?["notificationID"] == pushed["ck"]?["nid"])
        }
    }

    /// Two concurrent polls with one token share the payloads: each goes to one of them.
    @Test func pollsOfOneTokenShare() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.subscribe(alice)
            let url = try await create(bench, alice).url
            async let one = bench.raw("GET", url)
            async let other = bench.raw("GET", url)
            try await bench.save("a", user: bob)
            try await bench.save("b", user: bob)
            var found = [record(try await one), record(try await other)].compactMap { $0 }
            while found.count < 2 { found += [record(try await bench.raw("GET", url))].compactMap { $0 } }
            #expect(Set(found) == ["a", "b"])
        }
    }

    /// No poll reads again by itself, so that an empty answer is a poll that was not woken.
    @Test func aWaitingPollIsWokenByANotification() async throws {
        try await WebBench.run(isRechecking: false) { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.subscribe(alice)
            let url = try await create(bench, alice).url
            for round in 0..<5 {
                async let waiting = bench.raw("GET", url)
                try await eventually("the poll") { bench.waiting.answers == 1 }
                try await bench.save("r\(round)", user: bob)
                #expect(record(try await waiting) == "r\(round)")
            }
            try await eventually("nothing waits") { bench.waiting.answers == 0 }
        }
    }

    /// The next poll gets the payload, and the place among the held that the one before had.
    @Test func aClientThatLeavesTakesNothing() async throws {
        var rates = RateLimits()
        rates.heldOfUser = 1
        try await WebBench.run(rates: rates, isRechecking: false) { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.subscribe(alice)
            let url = try await create(bench, alice).url
            for round in 0..<3 {
                let leaving = Task { try await bench.raw("GET", url) }
                try await eventually("the poll") { bench.waiting.answers == 1 }
                leaving.cancel()
                await #expect(throws: (any Error).self) { try await leaving.value }
                try await eventually("nothing waits") { bench.waiting.answers == 0 }
                try await bench.save("r\(round)", user: bob)
                // The place is let go a moment after the request is.
                let next = try await answer("a place") { () -> Answer? in
                    let given = try await bench.raw("GET", url)
                    return given.code == CloudErrorCode.throttled.rawValue ? nil : given
                }
                #expect(record(next) == "r\(round)")
            }
        }
    }

    @Test func aCourierThatIsRemovedEndsItsWaitingPoll() async throws {
        var rates = RateLimits()
        rates.heldOfUser = 1
        try await WebBench.run(rates: rates, isRechecking: false) { bench in
            let alice = try await bench.signIn("alice")
            let url = try await create(bench, alice).url
            let device = try #require(
                try await bench.send("GET", bench.device("devices/list"), user: alice).json["devices"]?[0]?["deviceID"])
            async let waiting = bench.raw("GET", url)
            try await eventually("the poll") { bench.waiting.answers == 1 }
            _ = try await bench.send("POST", bench.device("devices/unregister"), ["deviceID": device], user: alice)
            expect(try await waiting, .notFound)
            // Another one may wait in its place.
            try await bench.subscribe(alice)
            let next = try await create(bench, alice).url
            async let answer = bench.raw("GET", next)
            try await eventually("the next poll") { bench.waiting.answers == 1 }
            try await bench.save("r", user: try await bench.signIn("bob"))
            #expect(record(try await answer) == "r")
        }
    }

    /// Its client's own changes are left out, and read marks: no push is made of them.
    @Test func ownChangesAndReadMarksAreNoPushes() async throws {
        try await WebBench.run { bench in
            var alice = try await bench.signIn("alice")
            try await bench.subscribe(alice)
            try await bench.register("phone", alice)
            alice.client = "browser"
            let url = try await create(bench, alice).url
            try await bench.save("own", user: alice)
            alice.client = nil
            try await bench.save("r", user: alice)
            let first = try await bench.raw("GET", url)
            #expect(record(first) == "r")
            let id = try #require(first.json["ck"]?["nid"])
            let read = try await bench.send(
                "POST", bench.device("notifications/markRead"),
                ["deviceID": "phone", "notificationIDs": [id]], user: alice)
            #expect(read.status == 200)
            try await bench.save("next", user: alice)
            #expect(record(try await bench.raw("GET", url)) == "next")
        }
    }

    @Test func aTokenIsTheSecret() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let (made, url) = try await create(bench, alice, client: "browser")
            for path in ["/aps", "/aps?tok=", "/aps?tok=x&ttl=43200", url + "x", url.replacing("tok=", with: "tok=A")] {
                let target = path == url + "x" ? path.replacing("&ttl=43200x", with: "x&ttl=43200") : path
                expect(try await bench.raw("GET", target), .accessDenied, "\(target)")
            }
            let other = try await bench.raw("POST", "/aps", bytes: Array("{}".utf8))
            #expect(other.status == 405 && other.headers["Allow"] == "GET, HEAD")
            let preflight = try await bench.raw(
                "OPTIONS", "/aps",
                headers: [("Origin", "https://example.com"), ("Access-Control-Request-Method", "GET")])
            #expect(preflight.status == 204 && preflight.headers["Access-Control-Allow-Origin"] == "*")
            let device = try #require(
                try await bench.send("GET", bench.device("devices/list"), user: alice).json["devices"]?[0])
            #expect(device["platform"] == "webcourier" && device["name"] == "browser")
            let register: JSONValue = ["apnsEnvironment": "development", "apnsToken": made["apnsToken"]!]
            #expect(
                try await bench.send("POST", bench.device("tokens/register"), register, user: alice).json == [:])
            _ = try await bench.send(
                "POST", bench.device("devices/unregister"), ["deviceID": device["deviceID"]!], user: alice)
            expect(try await bench.raw("GET", url), .notFound)
        }
    }

    @Test(
        arguments: [
            ("tokens/create", [:]), ("tokens/create", ["apnsEnvironment": "sandbox"]),
            ("tokens/create", ["apnsEnvironment": 1]),
            ("tokens/create", ["apnsEnvironment": "production", "clientId": "a\u{1}"]),
            ("tokens/register", ["apnsEnvironment": "production"]),
            ("tokens/register", ["apnsToken": "x", "apnsEnvironment": "production"]),
        ] as [(String, JSONValue)])
    func invalidCouriersAreBadRequests(path: String, body: JSONValue) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            expect(try await bench.send("POST", bench.device(path), body, user: alice), .badRequest, "\(body)")
        }
    }
}
