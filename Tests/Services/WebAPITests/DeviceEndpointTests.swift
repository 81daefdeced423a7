import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Feeds
import HTTPClient
import JSON
import TestSupport
import Testing

/// The device endpoints (docs/http-api.md).
@Suite struct DeviceEndpointTests {
    private func post(_ bench: WebBench, _ path: String, _ body: JSONValue, _ user: WebBench.SignedIn) async throws
        -> Answer
    {
        try await bench.send("POST", bench.device(path), body, user: user)
    }

    @Test func devicesAreRegisteredListedAndRemoved() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let phone = try await post(
                bench, "devices/register", ["deviceID": "phone", "name": "My phone", "platform": "iOS"], alice)
            #expect(
                Set(try #require(phone.json.object).map(\.key)) == [
                    "deviceID", "epoch", "name", "platform", "registered",
                ])
            #expect(phone.json["name"] == "My phone" && phone.json["platform"] == "iOS")
            let again = try await post(bench, "devices/register", ["deviceID": "phone", "name": "other"], alice)
            #expect(again.json == phone.json)
            let made = try await post(bench, "devices/register", [:], alice)
            #expect(made.json["deviceID"]?.string?.utf8.count == 36 && made.json["name"] == "")
            let listed = try await bench.send("GET", bench.device("devices/list"), user: alice)
            let devices = try #require(listed.json["devices"]?.array)
            #expect(devices.map { $0["deviceID"] } == [phone.json["deviceID"], made.json["deviceID"]])
            #expect(devices[0]["lastSeen"]?.integer != nil && devices[0]["registered"] == phone.json["registered"])
            let removed = try await post(bench, "devices/unregister", ["deviceID": "phone"], alice)
            #expect(removed.json == ["deviceID": "phone", "deleted": true])
            expect(try await post(bench, "devices/unregister", ["deviceID": "phone"], alice), .notFound)
            let later = try await post(bench, "devices/register", ["deviceID": "phone"], alice)
            #expect(try #require(later.json["epoch"]?.integer) > (try #require(phone.json["epoch"]?.integer)))
        }
    }

    /// docs/choices.md, 6: another user's device answers ACCESS_DENIED at every endpoint; as `clientId` it is a name as
    /// any other.
    @Test func anotherUsersDeviceIsDenied() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            var bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            let others = ["devices/list", "push/keys", "tokens/create"]
            for endpoint in Endpoint.all where endpoint.family == .device && !others.contains(endpoint.path) {
                for (device, code) in [("phone", CloudErrorCode.accessDenied), ("nobodys", .notFound)] {
                    if endpoint.path == "devices/register", device == "nobodys" { continue }
                    let body = endpoint.body.map { Place("deviceID").set(.string(device), in: $0) }
                    let text = try body.map { String(decoding: try $0.serialized(), as: UTF8.self) }
                    let answer = try await bench.send(
                        endpoint.method, endpoint.address(bench), body: text, user: bob,
                        query: endpoint.query.isEmpty ? [] : [("deviceID", device)])
                    expect(answer, code, "\(endpoint.path) \(device)")
                }
            }
            for endpoint in Endpoint.all where endpoint.family == .database {
                func codes(_ client: String) async throws -> [String?] {
                    bob.client = client
                    let body = try endpoint.body.map { String(decoding: try $0.serialized(), as: UTF8.self) }
                    let answer = try await bench.send(endpoint.method, endpoint.address(bench), body: body, user: bob)
                    return ["\(answer.status)", answer.code]
                }
                #expect(try await codes("phone") == codes("a browser"), "\(endpoint.path)")
            }
        }
    }

    // MARK: Change tokens

    @Test func tokensOfOthersAreRefusedBeforeAnythingIsRead() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            for device in ["phone", "laptop"] { try await bench.register(device, alice) }
            try await bench.register("bobs", bob)
            func token(_ device: String, _ user: WebBench.SignedIn) async throws -> String {
                try #require(try await bench.changes(device, user).json["serverChangeToken"]?.string)
            }
            let own = try await token("phone", alice)
            var identity = FeedIdentity(
                scope: bench.system.layout.scope, user: UserRecordName(trusted: alice.name),
                device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(0))
            let place = FeedPosition(part: .feed, position: LogPosition(offset: 0))
            let earlier = ChangeTokens(bench.keys).seal(place, of: identity)
            identity.scope.environment = .production
            let production = ChangeTokens(bench.keys).seal(place, of: identity)
            let forged = ChangeTokens(KeyRing.generate()).seal(place, of: identity)
            let refused: [(String, CloudErrorCode, String)] = [
                (try await token("laptop", alice), .badRequest, "laptop"),
                (try await token("bobs", bob), .badRequest, "another user"), (production, .badRequest, "production"),
                (forged, .badRequest, "serverChangeToken"), (alice.token, .badRequest, "serverChangeToken"),
                (String(own.dropLast()) + (own.last == "A" ? "B" : "A"), .badRequest, "serverChangeToken"),
                (earlier, .changeTokenExpired, "registered again"),
            ]
            for (token, code, reason) in refused {
                let answer = try await bench.changes("phone", alice, after: token)
                expect(answer, code)
                #expect(answer.json["reason"]?.string?.contains(reason) == true, "\(answer.json)")
                let stream = try await bench.send(
                    "GET", bench.device("notifications/stream"), user: alice,
                    query: [("deviceID", "phone"), ("serverChangeToken", token)])
                expect(stream, code)
                // What the browser remembers is checked in the same way.
                let resumed = try await bench.send(
                    "GET", bench.device("notifications/stream"), user: alice, query: [("deviceID", "phone")],
                    headers: [("Last-Event-ID", token)])
                expect(resumed, code)
            }
            #expect(try await bench.changes("phone", alice, after: own).status == 200)
        }
    }

    // MARK: Reading

    /// The way of a change, over HTTP: pages with tokens, read marks, the badge.
    @Test func notificationsAreReadInPages() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            for device in ["phone", "laptop"] { try await bench.register(device, alice) }
            try await bench.subscribe(
                alice, info: ["alertBody": "new", "shouldBadge": true, "additionalFields": ["n"]])
            for number in 0..<5 {
                try await bench.save("r\(number)", ["n": ["value": .integer(Int64(number))]], user: bob)
            }
            try await eventually("five notifications") {
                try await bench.changes("phone", alice).json["notifications"]?.array?.count == 5
            }
            var token: String?
            var all: [JSONValue] = []
            for page in [2, 2, 1] {
                let answer = try await bench.changes("phone", alice, after: token, ["resultsLimit": 2])
                let notifications = try #require(answer.json["notifications"]?.array)
                #expect(notifications.count == page && answer.json["moreComing"]?.bool == (page == 2))
                all += notifications
                token = answer.json["serverChangeToken"]?.string
            }
            let empty = try await bench.changes("phone", alice, after: token)
            #expect(empty.json["notifications"] == [] && empty.json["moreComing"] == false)
            #expect(Set(all.compactMap { $0["recordName"]?.string }).count == 5)
            #expect(all.map { $0["badge"]?.integer } == [1, 2, 3, 4, 5])
            let first = all[0]
            #expect(first["recordFields"]?["n"]?["type"] == "INT64" && first["alertBody"] == "new")
            #expect(first["queryNotificationReason"] == "recordCreated" && first["databaseScope"] == "public")
            // A device is not notified of its own change; its siblings are.
            var phone = alice
            phone.client = "phone"
            try await bench.save("mine", user: phone)
            try await eventually("the laptop's sixth") {
                try await bench.changes("laptop", alice).json["notifications"]?.array?.count == 6
            }
            #expect(try await bench.changes("phone", alice, after: token).json["notifications"] == [])
            // The others get a mark of one device, per item; an ID of another user is refused.
            let id = try #require(first["notificationID"]?.string)
            let marked = try await post(
                bench, "notifications/markRead",
                ["deviceID": "laptop", "notificationIDs": [.string(id), "nonsense", .string(id)]], alice)
            #expect(marked.status == 200)
            let items = try #require(marked.json["notifications"]?.array)
            #expect(items.map { $0["serverErrorCode"]?.string } == [nil, "NOT_FOUND", nil])
            #expect(items.map { $0["notificationID"]?.string } == [id, "nonsense", id])
            let read = try await bench.changes("phone", alice, after: token).json["notifications"]?.array ?? []
            #expect(read.map { $0["notificationType"]?.string } == ["readNotification"])
            #expect(read.first?["notificationID"]?.string == id)
            // Another user's ID is nobody's here.
            try await bench.register("bobs", bob)
            let strange = try await post(
                bench, "notifications/markRead", ["deviceID": "bobs", "notificationIDs": [.string(id)]], bob)
            #expect(strange.json["notifications"]?[0]?["serverErrorCode"] == "NOT_FOUND")
        }
    }

    @Test func theBadgeIsSetForAllDevices() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            for device in ["phone", "laptop"] { try await bench.register(device, alice) }
            func badge(_ device: String) async throws -> Int64? {
                try await bench.send("GET", bench.device("badge/current"), user: alice, query: [("deviceID", device)])
                    .json["badgeValue"]?.integer
            }
            #expect(try await badge("phone") == 0)
            let set = try await post(bench, "badge/modify", ["deviceID": "phone", "badgeValue": 7], alice)
            #expect(set.json == ["badgeValue": 7])
            #expect(try await badge("laptop") == 7)
            // One that registers begins with the highest of its siblings.
            try await bench.register("tablet", alice)
            #expect(try await badge("tablet") == 7)
            _ = try await post(bench, "badge/modify", ["deviceID": "tablet", "badgeValue": .integer(.max)], alice)
            try await bench.subscribe(alice, info: ["shouldBadge": true])
            try await bench.save("r", user: alice)
            try await eventually("the notification") {
                try await bench.changes("phone", alice).json["notifications"]?.array?.count == 1
            }
            #expect(try await badge("phone") == .max)
        }
    }

    // MARK: Waiting

    @Test func aLongPollWakesOnAChange() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            let token = try #require(try await bench.changes("phone", alice).json["serverChangeToken"]?.string)
            async let waiting = bench.changes("phone", alice, after: token, ["waitSeconds": 60])
            try await bench.save("r", user: bob)
            let answer = try await waiting
            #expect(answer.json["notifications"]?.array?.map { $0["recordName"]?.string } == ["r"])
        }
    }

    @Test func aLongPollEndsEmptyAfterItsTime() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            let clock = ContinuousClock()
            let began = clock.now
            let empty = try await bench.changes("phone", alice, ["waitSeconds": 1])
            #expect(clock.now - began >= .milliseconds(950))
            #expect(empty.json["notifications"] == [] && empty.json["moreComing"] == false)
            try await bench.save("r", user: bob)
            let token = try #require(empty.json["serverChangeToken"]?.string)
            let next = try await bench.changes("phone", alice, after: token, ["waitSeconds": 60])
            #expect(next.json["notifications"]?.array?.count == 1)
        }
    }

    /// A poll that waits when its device is removed ends with NOT_FOUND, and so does a stream.
    @Test func removalEndsWaitingPolls() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            try await bench.register("phone", alice)
            let token = try #require(try await bench.changes("phone", alice).json["serverChangeToken"]?.string)
            var events = EventReader(try await bench.stream([("deviceID", "phone")], user: alice))
            try await events.untilFirstComment()
            async let waiting = bench.changes("phone", alice, after: token, ["waitSeconds": 60])
            _ = try await post(bench, "devices/unregister", ["deviceID": "phone"], alice)
            expect(try await waiting, .notFound)
            let event = try #require(try await events.next())
            #expect(event.name == "error" && event.json["serverErrorCode"] == "NOT_FOUND")
            #expect(event.json["reason"]?.string?.isEmpty == false)
            #expect(try await events.next() == nil)
        }
    }

    // MARK: Streams

    @Test func aStreamSendsEventsAndResumesFromAnyOfThem() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            try await bench.register("phone", alice)
            try await bench.subscribe(alice)
            let stream = try await bench.stream([("deviceID", "phone")], user: alice)
            #expect(stream.status == 200)
            #expect(stream.headers["Content-Type"]?.hasPrefix("text/event-stream") == true)
            var events = EventReader(stream)
            var all: [ServerEvent] = []
            for number in 0..<4 {
                try await bench.save("r\(number)", user: bob)
                all.append(try #require(try await events.next()))
            }
            #expect(all.map(\.name) == Array(repeating: "notification", count: 4))
            #expect(all.map { $0.json["recordName"]?.string } == ["r0", "r1", "r2", "r3"])
            #expect(Set(all.compactMap(\.id)).count == 4)
            // An event's ID is the token after it: for a stream, and for a page.
            for (index, event) in all.enumerated() {
                let id = try #require(event.id)
                let rest = Array(all[(index + 1)...].map(\.json))
                let page = try await bench.changes("phone", alice, after: id)
                #expect(page.json["notifications"] == .array(rest))
                guard !rest.isEmpty else { continue }
                // What the browser remembers is newer than what the page was opened with.
                var resumed = EventReader(
                    try await bench.stream(
                        [("deviceID", "phone"), ("serverChangeToken", all[0].id!)], user: alice,
                        headers: [("Last-Event-ID", id)]))
                for expected in rest { #expect(try await resumed.next()?.json == expected) }
            }
            var opened = EventReader(
                try await bench.stream([("deviceID", "phone"), ("serverChangeToken", all[1].id!)], user: alice))
            #expect(try await opened.next()?.json == all[2].json)
        }
    }
}
