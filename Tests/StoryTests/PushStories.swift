import CloudModel
import FanfareCloudKit
import HTTPClient
import JSON
import TestSupport
import Testing

/// Story S6: pushes as the web courier hands them out, over HTTP, on the embedded log and on Kafka.
@Suite struct PushStories {
    static let kinds = StorySystem.Kind.available

    @Test(
        "S6 the courier holds its answer for the next payload, and hands each out once and in order", arguments: kinds)
    func holding(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        try await alice.subscribe("s", to: "Push", in: .private)
        let phone = try await alice.register("phone")
        try await alice.save([("before", ["n": 0])], type: "Push", in: .private)
        #expect(try await alice.feed(phone, atLeast: 1).notes.map(\.record) == ["before"])
        // Earlier notifications are the phone's alone.
        let courier = try await StoryCourier(of: alice, in: system)
        let registered = try await alice.client.device(
            "tokens/register", ["apnsEnvironment": "development", "apnsToken": .string(courier.token)])
        #expect(registered == [:])
        // The question is there before the change, which the answer waits for.
        async let waiting = courier.next()
        for number in 1...3 {
            try await alice.save([("push", ["n": .integer(Int64(number))])], type: "Push", in: .private)
        }
        var pushes = [try await waiting]
        for _ in 1..<3 { pushes.append(try await courier.next()) }
        let details = pushes.map { $0.json["ck"]?["qry"] }
        let delivered = details.map {
            "\($0?["rid"]?.string ?? "") \($0?["fo"]?.integer ?? 0) \($0?["dbs"]?.integer ?? 0)"
        }
        #expect(delivered == ["push 1 1", "push 2 1", "push 2 1"])
        for push in pushes {
            #expect(push.json["aps"] == ["alert": "changed"] && push.byteCount <= Limits.pushPayloadBytesMax)
            #expect(push.json["ck"]?["ckuserid"]?.string == alice.record.rawValue && push.json["ck"]?["p"] == nil)
            #expect(push.json["ck"]?["cid"]?.string == system.scope.container.rawValue)
            #expect(push.response.headers["Content-Type"]?.hasPrefix("application/json") == true)
            #expect(push.response.headers["Access-Control-Allow-Origin"] == "*")
        }
        // Only a client with the URL may poll.
        let forged = try await system.http.send(
            HTTPClientRequest("GET", "\(system.url)/aps?tok=\(courier.token)x&ttl=43200"))
        #expect(forged.status == 403)
        // A courier that is removed as a device ends.
        let devices = try await alice.client.get("device", "devices/list")["devices"]?.array ?? []
        let device = try #require(devices.first { $0["platform"] == "webcourier" })
        try await alice.unregister(try #require(device["deviceID"]?.string))
        await #expect(throws: StorySystem.Failed.self) { try await courier.next() }
    }

    @Test("S6 what makes a payload too large is left out of it and stays in the feed", arguments: kinds)
    func pruning(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        let phone = try await alice.register("phone")
        let courier = try await StoryCourier(of: alice, in: system)
        // 100 characters of it are 400 bytes in the payload; the feed has all.
        let large = String(repeating: "😀", count: 5_000)
        func push(_ name: String, body: String) async throws -> StoryCourier.Push {
            try await alice.subscribe(
                "s", to: "Large", on: ["create"],
                info: [
                    "alertBody": .string(body), "title": "title", "subtitle": "subtitle", "soundName": "default",
                    "additionalFields": ["large", "small"],
                ], in: .private)
            try await alice.save([(name, ["large": .string(large), "small": 7])], type: "Large", in: .private)
            return try await courier.next()
        }
        let whole = try await push("whole", body: "x")
        #expect(whole.json["ck"]?["p"] == nil && whole.json["ck"]?["cid"] != nil)
        #expect(whole.json["ck"]?["qry"]?["af"] == ["large": .string(String(large.prefix(100))), "small": 7])
        // As much text as leaves room for the small field and not for the large one, nor does it suffice to leave out
        // the container.
        let container = try (["cid": whole.json["ck"]?["cid"] ?? .null] as JSONValue).serialized().count
        let room = Limits.pushPayloadBytesMax - whole.byteCount
        let tight = try await push("tight", body: String(repeating: "x", count: room + container + 200))
        #expect(tight.json["ck"]?["p"] == 1 && tight.json["ck"]?["cid"] == nil)
        #expect(tight.json["ck"]?["qry"]?["af"] == ["small": 7] && tight.json["ck"]?["qry"]?["rid"] == "tight")
        #expect(tight.json["aps"]?["alert"]?["subtitle"] == "subtitle" && tight.json["aps"]?["sound"] == "default")
        // More than a payload can have: it is the alert, too, that goes.
        let most = String(repeating: "😀", count: Limits.alertCharactersMax)
        let least = try await push("least", body: most)
        #expect(
            least.json["ck"]?["p"] == 1 && least.json["ck"]?["qry"]?["af"] == nil && least.json["aps"]?["alert"] == nil)
        #expect(least.json["ck"]?["qry"] == ["sid": "s"] && least.json["ck"]?["nid"] != nil)
        let notes = try await alice.notifications(phone, atLeast: 3)
        let bodies = ["x", String(repeating: "x", count: room + container + 200), most]
        #expect(notes.count == 3 && notes.map { $0["alertBody"]?.string } == bodies)
        for (note, push) in zip(notes, [whole, tight, least]) {
            #expect(push.byteCount <= Limits.pushPayloadBytesMax && push.byteCount > 0)
            #expect(note["pushPayload"] == push.json && note["notificationID"] == push.json["ck"]?["nid"])
            #expect(note["isPruned"] == false && note["title"] == "title" && note["soundName"] == "default")
            #expect(note["recordFields"]?["large"]?["value"]?.string == large)
            #expect(note["recordFields"]?["small"]?["value"] == 7)
        }
    }

    @Test("S6 a courier gets nothing of its own client's changes, nor read marks", arguments: kinds)
    func ownClient(_ kind: StorySystem.Kind) async throws {
        let system = try await StorySystem.shared(kind)
        let alice = try await system.user("alice")
        try await alice.subscribe("s", to: "Own", in: .private)
        let phone = try await alice.register("phone")
        let browser = "browser-\(phone)"
        let courier = try await StoryCourier(of: alice, client: browser, in: system)
        try await alice.save([("own", ["n": 1])], type: "Own", from: browser, in: .private)
        try await alice.save([("other", ["n": 1])], type: "Own", in: .private)
        let first = try await courier.next()
        #expect(first.json["ck"]?["qry"]?["rid"] == "other")
        let id = try #require(first.json["ck"]?["nid"]?.string)
        #expect(try await alice.markRead([id], on: phone).isEmpty)
        try await alice.save([("last", ["n": 1])], type: "Own", in: .private)
        #expect(try await courier.next().json["ck"]?["qry"]?["rid"] == "last")
        // The phone is notified of both clients' changes.
        let notes = try await alice.feed(phone, atLeast: 3).notes
        #expect(notes.compactMap(\.record) == ["own", "other", "last"])
    }
}
