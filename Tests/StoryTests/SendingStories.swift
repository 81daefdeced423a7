import CloudModel
import Cryptography
import FanfareCloudKit
import Foundation
import JSON
import Stages
import TestSupport
import Testing
import TextForms

/// Stories P1 to P3: pushes as providers get them, from the roles as processes, on the embedded log and on Kafka.
@Suite struct SendingStories {
    /// A device with an address of each kind at the provider.
    private struct Phone {
        let id: String
        let user: StoryUser
        let provider: StoryProvider
        let apns: String
        let webPush: String
        let hook: String
        let hookSecret: [UInt8]

        static func register(
            of user: StoryUser, at provider: StoryProvider, contents: String = "full", silent: Bool = false
        ) async throws -> Phone {
            let id = try await user.register("phone")
            let token = Hexadecimal.encode(SecureRandom.bytes(count: 32))
            let keys: JSONValue = [
                "p256dh": .string(Base64.url.encode(SigningKey.generate().publicPoint)),
                "auth": .string(Base64.url.encode(SecureRandom.bytes(count: 16))),
            ]
            var secret = ""
            for (kind, address): (String, JSONValue) in [
                ("apns", ["token": .string(token), "environment": "development"]),
                ("webPush", ["endpoint": .string("\(provider.origin)/push/\(id)"), "keys": keys]),
                ("webhook", ["url": .string("\(provider.origin)/hook/\(id)")]),
            ] {
                let answer = try await user.client.device(
                    "devices/push",
                    [
                        "deviceID": .string(id), "contents": .string(contents), kind: address,
                        "silent": .bool(silent && kind == "webPush"),
                    ])
                secret = answer["secret"]?.string ?? secret
            }
            return Phone(
                id: id, user: user, provider: provider, apns: "/3/device/\(token)", webPush: "/push/\(id)",
                hook: "/hook/\(id)",
                hookSecret: Base64.standard.decode(String(secret.dropFirst("whsec_".count))) ?? [])
        }

        var paths: [String] { [apns, webPush, hook] }

        /// The kinds of addresses that the device has.
        func kinds() async throws -> [String] {
            let devices = try await user.client.get("device", "devices/list")["devices"]?.array ?? []
            let own = devices.first { $0["deviceID"]?.string == id }
            return own?["push"]?.array?.compactMap { $0["kind"]?.string } ?? []
        }
    }

    private static func withSystem(
        _ kind: StorySystem.Kind, _ body: (StorySystem, StoryProvider) async throws -> Void
    ) async throws {
        let provider = try await StoryProvider.start()
        let system = try await StorySystem.start(kind, with: provider.settings)
        try await body(system, provider)
        try await system.stop()
        await provider.stop()
    }

    @Test(
        "P1 a visible and a silent push reach a phone by APNs, a browser by Web Push and a server by a webhook",
        arguments: StorySystem.Kind.available)
    func kinds(_ kind: StorySystem.Kind) async throws {
        try await Self.withSystem(kind) { system, provider in
            let alice = try await system.user("alice")
            let phone = try await Phone.register(of: alice, at: provider, silent: true)
            #expect(try await phone.kinds() == ["apns", "webPush", "webhook"])
            try await alice.subscribe(
                "loud", to: "Loud", info: ["alertBody": "rings", "shouldBadge": true], in: .private)
            try await alice.subscribe(
                "quiet", to: "Quiet", info: ["shouldSendContentAvailable": true], in: .private)
            try await alice.save([("ring", ["n": 1])], type: "Loud", in: .private)
            for path in phone.paths { _ = try await provider.pushes(path, atLeast: 1) }
            try await alice.save([("hush", ["n": 1])], type: "Quiet", in: .private)
            let apns = try await provider.pushes(phone.apns, atLeast: 2)
            #expect(apns.map { $0.headers["apns-push-type"] } == ["alert", "background"])
            #expect(apns.map { $0.headers["apns-priority"] } == ["10", "5"])
            #expect(apns.allSatisfy { $0.headers["apns-topic"] == "com.example.gallery" })
            #expect(apns.allSatisfy { $0.headers["authorization"]?.hasPrefix("bearer ey") == true })
            #expect(apns[0].json?["aps"]?["alert"] == "rings" && apns[0].json?["aps"]?["badge"] == 1)
            #expect(apns[1].json?["aps"] == ["content-available": 1])
            #expect(apns.map { $0.json?["ck"]?["qry"]?["rid"]?.string } == ["ring", "hush"])
            let browser = try await provider.pushes(phone.webPush, atLeast: 2)
            #expect(browser.map { $0.headers["urgency"] } == ["high", "normal"])
            #expect(browser.allSatisfy { $0.headers["content-encoding"] == "aes128gcm" && $0.body.count <= 4096 })
            #expect(browser.allSatisfy { $0.headers["authorization"]?.hasPrefix("vapid t=ey") == true })
            let events = try await provider.pushes(phone.hook, atLeast: 2)
            #expect(events.map { $0.json?["data"]?["ck"]?["qry"]?["rid"]?.string } == ["ring", "hush"])
            for event in events {
                #expect(signature(of: event, phone.hookSecret) == event.headers["webhook-signature"])
            }
            // The feed has the same, and nothing came twice.
            let notes = try await alice.feed(phone.id, atLeast: 2).notes
            #expect(notes.map(\.id) == apns.map { $0.json?["ck"]?["nid"]?.string ?? "" })
            for path in phone.paths { #expect(provider.pushes(path).count == 2) }
        }
    }

    private func signature(of event: StoryProvider.Push, _ secret: [UInt8]) -> String {
        let head = "\(event.headers["webhook-id"] ?? "").\(event.headers["webhook-timestamp"] ?? "")."
        let code = HMACSHA256(key: secret).code(for: Array(head.utf8) + event.body)
        return "v1,\(Base64.standard.encode(code))"
    }

    @Test(
        "P2 an address that its provider reports as dead is removed, and no further push is sent to it",
        arguments: StorySystem.Kind.available)
    func deadAddresses(_ kind: StorySystem.Kind) async throws {
        try await Self.withSystem(kind) { system, provider in
            let alice = try await system.user("alice")
            let phone = try await Phone.register(of: alice, at: provider)
            try await alice.subscribe("s", to: "Note", in: .private)
            provider.answer(phone.apns, 410, #"{"reason": "Unregistered", "timestamp": 4102444800000}"#)
            provider.answer(phone.webPush, 410)
            try await alice.save([("first", ["n": 1])], type: "Note", in: .private)
            try await eventually("two removals") { try await phone.kinds() == ["webhook"] }
            provider.answer(phone.apns, nil)
            provider.answer(phone.webPush, nil)
            try await alice.save([("second", ["n": 1])], type: "Note", in: .private)
            _ = try await provider.pushes(phone.hook, atLeast: 2)
            #expect(provider.pushes(phone.apns).count == 1 && provider.pushes(phone.webPush).count == 1)
            // Registered again it gets pushes, from then on.
            let token = phone.apns.split(separator: "/").last.map(String.init) ?? ""
            _ = try await alice.client.device(
                "devices/push",
                [
                    "deviceID": .string(phone.id),
                    "apns": ["token": .string(token), "environment": "development"],
                ])
            try await alice.save([("third", ["n": 1])], type: "Note", in: .private)
            let pushes = try await provider.pushes(phone.apns, atLeast: 2)
            #expect(pushes.last?.json?["ck"]?["qry"]?["rid"] == "third")
        }
    }

    @Test(
        "P3 where the app asks for it, no value of a record passes through a push service",
        arguments: StorySystem.Kind.available)
    func privateContents(_ kind: StorySystem.Kind) async throws {
        try await Self.withSystem(kind) { system, provider in
            let alice = try await system.user("alice")
            let phone = try await Phone.register(of: alice, at: provider, contents: "none")
            try await alice.subscribe(
                "s", to: "Note",
                info: [
                    "alertLocalizationKey": "NEW", "alertLocalizationArgs": ["text"], "title": "Hello",
                    "additionalFields": ["text"], "collapseIDKey": "text",
                ], in: .private)
            try await alice.save([("note", ["text": "hush-hush"])], type: "Note", in: .private)
            for path in phone.paths {
                let push = try #require(try await provider.pushes(path, atLeast: 1).first)
                let seen = "\(push.headers) \(String(decoding: push.body, as: UTF8.self))"
                #expect(!seen.contains("hush-hush"), "\(path)")
            }
            let payload = provider.pushes(phone.apns)[0].json
            #expect(payload?["aps"]?["alert"]?["loc-key"] == "FANFARE_NOTIFICATION")
            #expect(payload?["ck"]?["qry"]?["rid"] == "note" && payload?["ck"]?["nid"]?.string != nil)
            // The device itself gets all of it from its feed.
            let notes = try await alice.feed(phone.id, atLeast: 1).notes
            #expect(notes[0].fields?.contains("hush-hush") == true)
        }
    }

    @Test(
        "P4 a blocked user's devices get no pushes until the user is let in again, and a signed-out user's none",
        arguments: StorySystem.Kind.available)
    func shutOut(_ kind: StorySystem.Kind) async throws {
        try await Self.withSystem(kind) { system, provider in
            var phones: [Phone] = []
            for name in ["alice", "bob"] {
                let user = try await system.user(name)
                try await user.subscribe("s", to: "News")
                phones.append(try await Phone.register(of: user, at: provider))
            }
            let (alice, bob) = (phones[0], phones[1])
            let writer = try await system.user("carol")
            func operate(_ verb: String) async throws {
                let done = try await system.run(["users", verb, alice.user.record.rawValue] + system.storeFlags)
                #expect(done.code == 0, "\(done)")
            }
            func save(_ name: String, reaches phones: [Phone]) async throws {
                try await writer.save([(name, ["n": 1])], type: "News")
                for phone in phones {
                    for path in [phone.apns, phone.hook] {
                        try await eventually("\(name) at \(path)") { provider.pushes(path).last.map(record) == name }
                    }
                }
            }
            // This one waits when the block comes.
            provider.answer(alice.webPush, 503)
            try await save("before", reaches: [alice, bob])
            try await operate("block")
            try await save("hidden", reaches: [bob])
            try await operate("unblock")
            provider.answer(alice.webPush, nil)
            try await save("after", reaches: [alice, bob])
            // Those that are signed out register again, or get nothing.
            try await operate("sign-out")
            try await save("last", reaches: [bob])
            for path in [alice.apns, alice.hook] {
                #expect(provider.pushes(path).map(record) == ["before", "after"], "\(path)")
            }
            #expect(try await bob.kinds().count == 3)
        }
    }

    @Test(
        "kill -9 of the sender at each of its steps loses no push, and a repeat has the ID of the first",
        arguments: StorySystem.Kind.available,
        [KillPoint.pushAnswered, .pushCommitting, .pushCommitted])
    func kills(_ kind: StorySystem.Kind, at point: KillPoint) async throws {
        try await Self.withSystem(kind) { system, provider in
            let alice = try await system.user("alice")
            let phones = [
                try await Phone.register(of: alice, at: provider), try await Phone.register(of: alice, at: provider),
            ]
            try await alice.subscribe("s", to: "Note", in: .private)
            let sender = try #require(system.processes["push-sender"] ?? system.processes["dev"])
            #expect(await sender.terminate() == 0)
            try sender.start(with: ["FANFARE_KILL_AT": point.rawValue])
            let killed = Task {
                #expect(await sender.ended() == 9)
                try sender.start()
            }
            func save(_ name: String) async throws {
                try await eventually("an answer") {
                    (try? await alice.save([(name, ["n": 1])], type: "Note", in: .private)) != nil
                }
            }
            for number in 0..<10 { try await save("n\(number)") }
            try await within("the death at \(point)") { try await killed.value }
            try await save("z")
            for phone in phones {
                for path in [phone.apns, phone.hook] {
                    try await eventually("the last push to \(path)") {
                        provider.pushes(path).last.map(record) == "z"
                    }
                    expectOrder(of: provider.pushes(path), "\(path)")
                }
            }
        }
    }

    /// Newer pushes may stand for older ones. They come in order, and again under their own IDs only.
    private func expectOrder(of pushes: [StoryProvider.Push], _ path: String) {
        var ids: [String: String] = [:]
        var newest = ""
        for push in pushes {
            let (id, record) = (push.id ?? "", record(push) ?? "")
            let isRepeated = ids[record] != nil
            #expect(ids.updateValue(id, forKey: record) ?? id == id, "\(path) \(record)")
            #expect(isRepeated || record > newest, "\(path) \(record) after \(newest)")
            newest = max(newest, record)
        }
    }

    @Test(
        "two senders that are killed in turns lose no push and keep the order",
        arguments: StorySystem.Kind.available.filter { $0 == .kafka })
    func killsInTurns(_ kind: StorySystem.Kind) async throws {
        // FANFARE_PUSH_KILLS=200 for a long run.
        let rounds = ProcessInfo.processInfo.environment["FANFARE_PUSH_KILLS"].flatMap(Int.init) ?? 3
        try await Self.withSystem(kind) { system, provider in
            let alone = try #require(system.processes["push-sender"])
            let second = system.command(
                [
                    "push-sender", "--data", system.folder.path("sender-2"), "--token-key-file",
                    system.folder.path("data/token.keys"), "--internal-listen", "127.0.0.1:0",
                ], name: "push-sender-2")
            try second.start()
            var phones: [Phone] = []
            for name in ["alice", "ben", "carol", "dora"] {
                let user = try await system.user(name)
                try await user.subscribe("s", to: "Note", in: .private)
                phones.append(try await Phone.register(of: user, at: provider))
            }
            let perRound = 10
            var chance = SeededGenerator(seed: 1)
            for round in 0..<rounds {
                let before = provider.count
                async let saved: Void = Self.save(perRound, from: round * perRound, by: phones.map(\.user))
                // Each of the twelve addresses gets one at least.
                let count = Int.random(in: 1...12, using: &chance)
                try await eventually("\(count) pushes in round \(round)") { provider.count >= before + count }
                let sender = round % 2 == 0 ? alone : second
                await sender.kill()
                try await saved
                try sender.start()
            }
            for phone in phones {
                for path in [phone.apns, phone.hook] {
                    try await eventually("the last push to \(path)") {
                        provider.pushes(path).last.map(record) == Self.name(rounds * perRound - 1)
                    }
                    expectOrder(of: provider.pushes(path), path)
                }
                // Each notification was pushed, or another one stands for it.
                let merged = Dictionary(
                    provider.pushes(phone.hook).map { ($0.id ?? "", $0.json?["merged"]?.integer ?? 1) },
                    uniquingKeysWith: max)
                #expect(merged.values.reduce(0, +) >= Int64(rounds * perRound))
            }
            #expect(await second.terminate() == 0)
        }
    }

    private static func name(_ number: Int) -> String { "n\(1_000_000 + number)" }

    private static func save(_ count: Int, from first: Int, by users: [StoryUser]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in users {
                group.addTask {
                    for number in first..<first + count {
                        try await user.save([(name(number), ["n": 1])], type: "Note", in: .private)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func record(_ push: StoryProvider.Push) -> String? {
        (push.json?["data"] ?? push.json)?["ck"]?["qry"]?["rid"]?.string
    }
}
