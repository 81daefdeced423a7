import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing
import TextForms

@testable import RecordService

/// Addresses of pushes: their users, their entries in the topic, and that nobody can read them.
@Suite struct PushAddressTests {
    let phone = DeviceID(trusted: "phone")
    let laptop = DeviceID(trusted: "laptop")
    /// A point on P-256: the curve's generator.
    static let point = Hexadecimal.decode(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )!

    func token(_ byte: UInt8, topic: String? = nil) -> PushAddress {
        .apns(APNSAddress(token: [UInt8](repeating: byte, count: 32), environment: .production, topic: topic))
    }

    func browser(_ name: String) -> PushAddress {
        .webPush(
            WebPushAddress(
                endpoint: "https://push.example.com/\(name)", publicKey: Self.point,
                authentication: [UInt8](repeating: 5, count: 16), serverKey: Self.point))
    }

    func webhook(_ path: String, secrets: [[UInt8]] = [[UInt8](repeating: 7, count: 24)]) -> PushAddress {
        .webhook(WebhookAddress(url: "https://example.com/\(path)", secrets: secrets))
    }

    func rig() async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        _ = try await rig.service.registerDevice(phone, name: "", platform: "", for: rig.alice)
        _ = try await rig.service.registerDevice(laptop, name: "", platform: "", for: rig.bob)
        return rig
    }

    func set(
        _ rig: RecordServiceRig, _ address: PushAddress, _ device: DeviceID, _ caller: Caller,
        _ contents: PushContents = .full
    ) async throws -> [String] {
        try await rig.service.registerPush(address, contents: contents, on: device, for: caller).kinds.map(\.rawValue)
    }

    /// The published rows of addresses, after a sequence, in order.
    func published(_ rig: RecordServiceRig, after: Int64 = 0) async throws -> [String] {
        try await rig.outbox().filter { $0.sequence.rawValue > after }.compactMap { row in
            switch row.destination {
            case .pushAddresses:
                let place = try #require(TopicLayout.pushAddress(ofKey: row.key))
                return "\(row.value == nil ? "gone" : "at") \(place.device) \(place.kind)"
            case .deliveries:
                guard case .courierChanged(let event)? = try DeliveryEntry(decoding: row.value!).event else {
                    return nil
                }
                return "\(event.since > 0 ? "has" : "lost") \(event.device) \(event.courier)"
            default: return nil
            }
        }
    }

    @Test("a device has one address of each kind; the same once more changes nothing, another takes its place")
    func oneOfEachKind() async throws {
        let rig = try await rig()
        #expect(try await set(rig, token(1), phone, rig.alice) == ["apns"])
        #expect(try await set(rig, webhook("a"), phone, rig.alice) == ["apns", "webhook"])
        let sequence = try await rig.service.store.read { try $0.settledSequence() }
        #expect(try await set(rig, token(1), phone, rig.alice) == ["apns", "webhook"])
        #expect(try await rig.service.store.read { try $0.settledSequence() } == sequence, "nothing changed")
        #expect(try await set(rig, token(2), phone, rig.alice) == ["apns", "webhook"])
        #expect(try await set(rig, token(2), phone, rig.alice, .none) == ["apns", "webhook"])
        #expect(
            try await published(rig) == [
                "at phone apns", "has phone apns", "at phone webhook", "has phone webhook", "at phone apns",
                "has phone apns", "at phone apns", "has phone apns",
            ])
        let listed = try await rig.service.listDevices(for: rig.alice)[0].addresses
        #expect(listed.map(\.kind.rawValue) == ["apns", "webhook"] && listed.map(\.contents) == [.none, .full])
        #expect(listed.allSatisfy { $0.registered == rig.now && $0.lastSuccess == nil && $0.lastFailure == nil })
    }

    @Test("the wish for silent pushes is sealed with the address, and another wish is another registration")
    func wishes() async throws {
        let rig = try await rig()
        let seals = PushAddressSeals(rig.keys, scope: rig.service.scope)
        for address in [token(1), browser("x"), webhook("x")] {
            for isSilent in [true, false] {
                var address = address
                address.isSilentWhenBehind = isSilent
                _ = try await set(rig, address, phone, rig.alice)
                let stored = try await rig.service.store.read { try $0.pushAddresses(of: phone) }
                let own = try #require(stored.first { $0.kind == address.kind })
                #expect(try seals.open(own.sealed, of: rig.alice.user!, phone, address.kind).address == address)
            }
        }
    }

    @Test("the event names the sequence of the address's entry")
    func eventsNameTheEntry() async throws {
        let rig = try await rig()
        _ = try await set(rig, token(1), phone, rig.alice)
        let rows = try await rig.outbox()
        let row = try #require(rows.first { $0.destination == .pushAddresses })
        let entry = try PushAddressEntry(decoding: row.value!)
        guard case .courierChanged(let event)? = try DeliveryEntry(decoding: rows.last!.value!).event else {
            throw MalformedMessage("\(rows)")
        }
        #expect(event.since == row.sequence.rawValue && entry.source?.position.offset == event.since)
        #expect(entry.user == rig.alice.user?.rawValue && entry.device == "phone" && entry.kind == "apns")
        let device = try await rig.service.listDevices(for: rig.alice)[0].device
        #expect(entry.epoch == device.epoch.rawValue && event.epoch == entry.epoch && entry.contents == "full")
        let seals = PushAddressSeals(rig.keys, scope: rig.service.scope)
        #expect(try seals.open(entry.sealed, of: rig.alice.user!, phone, .apns).address == token(1))
        #expect(throws: SealedTokenError.self) { try seals.open(entry.sealed, of: rig.bob.user!, phone, .apns) }
        #expect(throws: SealedTokenError.self) { try seals.open(entry.sealed, of: rig.alice.user!, phone, .webhook) }
    }

    @Test("a token or endpoint that another device registers leaves the former one; a webhook may be many devices'")
    func moves() async throws {
        let rig = try await rig()
        for address in [token(1), browser("x"), webhook("x")] { _ = try await set(rig, address, phone, rig.alice) }
        let last = try await rig.service.store.read { try $0.settledSequence() }
        // With another topic, environment or contents it is the same token.
        for address in [token(1, topic: "com.example"), browser("x"), webhook("x")] {
            _ = try await set(rig, address, laptop, rig.bob, .none)
        }
        #expect(
            try await published(rig, after: last.rawValue) == [
                "gone phone apns", "lost phone apns", "at laptop apns", "has laptop apns", "gone phone webPush",
                "lost phone webPush", "at laptop webPush", "has laptop webPush", "at laptop webhook",
                "has laptop webhook",
            ])
        #expect(try await rig.service.listDevices(for: rig.alice)[0].addresses.map(\.kind) == [.webhook])
        #expect(try await rig.service.listDevices(for: rig.bob)[0].addresses.count == 3)
    }

    @Test("of users that register one token at the same time, one has it")
    func races() async throws {
        let rig = try await rig()
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (device, caller) in [(phone, rig.alice), (laptop, rig.bob)] {
                    group.addTask { _ = try await set(rig, token(3), device, caller) }
                }
                try await group.waitForAll()
            }
            let all = try await rig.service.store.read { try $0.pushAddresses(after: nil, limit: 9) }
            #expect(all.count == 1)
            var state: Set<String> = []
            for line in try await published(rig) {
                let words = line.split(separator: " ").map(String.init)
                if words[0] == "at" { state.insert(words[1]) }
                if words[0] == "gone" { state.remove(words[1]) }
            }
            #expect(state == [all[0].device.rawValue], "the topic says what the store says")
        }
    }

    @Test("addresses go when they are removed, with their device, and with its user")
    func removal() async throws {
        let rig = try await rig()
        for address in [token(1), browser("x")] { _ = try await set(rig, address, phone, rig.alice) }
        #expect(try await rig.service.removePush(.apns, on: phone, for: rig.alice) == [.webPush])
        #expect(try await rig.service.removePush(.apns, on: phone, for: rig.alice) == [.webPush])
        await expect(code: .accessDenied) { try await rig.service.removePush(.webPush, on: phone, for: rig.bob) }
        await expect(code: .accessDenied) { _ = try await set(rig, token(1), phone, rig.bob) }
        await expect(code: .notFound) { _ = try await set(rig, token(1), DeviceID(trusted: "no"), rig.bob) }
        await expect(code: .authenticationRequired) { _ = try await set(rig, token(1), phone, Caller(user: nil)) }
        let last = try await rig.service.store.read { try $0.settledSequence() }
        try await rig.service.unregisterDevice(phone, for: rig.alice)
        #expect(try await published(rig, after: last.rawValue) == ["gone phone webPush"])
        #expect(try await rig.service.store.read { try $0.pushAddresses(after: nil, limit: 9) }.isEmpty)
    }

    @Test("a user has a number of addresses, and registers so many in a while; a web courier has none")
    func quotas() async throws {
        let rig = try await rig()
        for number in 0...Limits.pushAddressesPerUserMax {
            let device = DeviceID(trusted: "d\(number)")
            _ = try await rig.service.registerDevice(device, name: "", platform: "", for: rig.alice)
            guard number == Limits.pushAddressesPerUserMax else {
                _ = try await set(rig, token(UInt8(number)), device, rig.alice)
                continue
            }
            await expect(code: .quotaExceeded) { _ = try await set(rig, token(99), device, rig.alice) }
            // One that moves from another device of the user, or takes another's place, is no more than before.
            _ = try await set(rig, token(0), device, rig.alice)
            _ = try await set(rig, token(98), device, rig.alice)
        }
        await expect(code: .throttled) {
            for number in 0..<Limits.registrationsBurst {
                _ = try await set(rig, webhook("\(number)"), laptop, rig.bob)
            }
        }
        let courier = try await rig.service.makeCourier(
            .web, platform: "", .production, client: nil, for: rig.alice)
        await expect(code: .badRequest) { _ = try await set(rig, token(0), courier.device, rig.alice) }
    }

    @Test("a webhook without a secret gets one, and keeps it")
    func secrets() async throws {
        let rig = try await rig()
        let service = rig.service
        let first = try await service.registerPush(webhook("a", secrets: []), on: phone, for: rig.alice).secret
        #expect(first?.count == 32)
        #expect(try await service.registerPush(webhook("a", secrets: []), on: phone, for: rig.alice).secret == nil)
        let other = try await service.registerPush(webhook("b", secrets: []), on: phone, for: rig.alice).secret
        #expect(other != nil && other != first)
        #expect(try await service.registerPush(webhook("b"), on: phone, for: rig.alice).secret == nil)
    }

    @Test("a value that is no address is refused, and the error does not show it")
    func refusals() async throws {
        let rig = try await rig()
        func web(_ endpoint: String, key: [UInt8] = Self.point, auth: Int = 16) -> PushAddress {
            .webPush(
                WebPushAddress(
                    endpoint: endpoint, publicKey: key, authentication: [UInt8](repeating: 1, count: auth),
                    serverKey: Self.point))
        }
        var offCurve = Self.point
        offCurve[64] ^= 1
        let urls = [
            "http://example.com/", "https:///x", "https://", "https://a@example.com/", "https://a:b@example.com/x",
            "https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://example.com/#a",
            "https://ex\u{e4}mple.com/", "https://example.com/a b", "https://example.com/\r\nX: y", "ftp://example.com",
            "https://[::1", "https://example.com\\@b/", "https://example.com/" + String(repeating: "x", count: 2048),
            "https://a:1:2/",
        ]
        let refused =
            urls.map { web($0) } + urls.map { .webhook(WebhookAddress(url: $0, secrets: [])) }
            + [
                web("https://a/", key: offCurve), web("https://a/", key: Array(Self.point.dropLast())),
                web("https://a/", key: [2] + Self.point[1..<33]), web("https://a/", auth: 15),
                web("https://a/", auth: 17), webhook("a", secrets: [[1]]),
                webhook("a", secrets: [[UInt8](repeating: 1, count: 65)]), token(1, topic: ""), token(1, topic: "a/b"),
                .apns(APNSAddress(token: [UInt8](repeating: 1, count: 31), environment: .production)),
                .apns(APNSAddress(token: [UInt8](repeating: 1, count: 101), environment: .production)),
            ]
        for address in refused {
            do {
                _ = try await set(rig, address, phone, rig.alice)
                Issue.record("\(address) is taken")
            } catch let error as CloudError {
                #expect(error.code == .badRequest && !"\(error)".contains("example"))
            }
        }
        for url in ["https://a", "HTTPS://push.example.com:8443/a?b=c%20d", "https://[2001:db8::1]:443/x"] {
            _ = try await set(rig, web(url), phone, rig.alice)
        }
    }

    @Test("an address of every kind is in no file of the store, nor in a published row, as it was given")
    func sealed() async throws {
        let rig = try await rig()
        let secret = [UInt8]("a-secret-of-a-webhook-with-32-bytes".utf8)
        let token = [UInt8]("a-token-of-a-phone-with-32-bytes".utf8)
        let address = APNSAddress(token: token, environment: .production, topic: "com.example.topic")
        for one in [.apns(address), browser("an-endpoint"), webhook("a-webhook", secrets: [secret])] {
            _ = try await set(rig, one, phone, rig.alice)
        }
        let words = [
            token, secret, Array("an-endpoint".utf8), Array("a-webhook".utf8), Array("com.example.topic".utf8),
        ]
        let rows = try await rig.outbox()
        let found = rows.map { $0.key + ($0.value ?? []) } + (try rig.storedBytes())
        #expect(found.contains { Self.contains($0, Array("phone".utf8)) }, "stored bytes are found")
        for word in words {
            #expect(!found.contains { Self.contains($0, word) }, "\(String(decoding: word, as: UTF8.self))")
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        String(decoding: bytes, as: Unicode.ASCII.self).contains(String(decoding: part, as: Unicode.ASCII.self))
    }

    @Test("a device that is registered again by a repair keeps its addresses, and delivery learns of them")
    func repair() async throws {
        let rig = try await rig()
        for address in [token(1), browser("x")] { _ = try await set(rig, address, phone, rig.alice) }
        let last = try await rig.service.store.read { try $0.settledSequence() }
        _ = try await rig.service.commit(in: .whole) { try $0.renew(phone) }
        #expect(
            try await published(rig, after: last.rawValue) == [
                "at phone apns", "has phone apns", "at phone webPush", "has phone webPush",
            ])
        let row = try #require(try await rig.outbox().last { $0.destination == .pushAddresses })
        let epoch = try await rig.service.listDevices(for: rig.alice)[0].device.epoch
        #expect(try PushAddressEntry(decoding: row.value!).epoch == epoch.rawValue)
    }

    @Test("under a new key addresses are sealed again, published again, and still found")
    func resealing() async throws {
        let rig = try await rig()
        _ = try await set(rig, token(1), phone, rig.alice)
        let stored = try await rig.service.store.read { try $0.pushAddresses(of: phone)[0] }
        var ring = rig.keys
        ring.rotateIdentifierKey()
        let rotated = RecordService(layout: rig.service.layout, store: rig.service.store, keys: ring)
        #expect(try await rotated.resealFields().resealed == 1)
        #expect(try await rotated.resealFields().resealed == 0)
        let again = try await rig.service.store.read { try $0.pushAddresses(of: phone)[0] }
        #expect(again.code != stored.code && again.since == stored.since && again.sequence > stored.sequence)
        ring.removeFormerIdentifierKeys()
        let seals = PushAddressSeals(ring, scope: rig.service.scope)
        #expect(try seals.open(again.sealed, of: rig.alice.user!, phone, .apns).address == token(1))
        // One that a former key sealed is found, too.
        ring.rotateIdentifierKey()
        let later = RecordService(layout: rig.service.layout, store: rig.service.store, keys: ring)
        _ = try await later.registerPush(token(1), on: laptop, for: rig.bob)
        #expect(
            try await rig.service.store.read { try $0.pushAddresses(after: nil, limit: 9) }.map(\.device) == [laptop])
    }

    @Test("the relay publishes addresses to the partition of their user's pushes, and says how far it is")
    func relay() async throws {
        try await within {
            let rig = try await rig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            _ = try await set(rig, token(1), phone, rig.alice)
            _ = try await set(rig, token(1), laptop, rig.bob)
            let last = try #require(try await rig.outbox().last { $0.destination == .pushAddresses })
            try await publish(rig, to: log)
            let alice = try await entries(of: rig.alice.user!, log, layout)
            let place = layout.pushAddressKey(rig.alice.user!, phone, .apns)
            #expect(alice.last?.key == place && alice.last?.value == nil)
            let reached = try #require(alice.dropLast().last)
            #expect(reached.key == TopicLayout.reachedKey, "a removal says before that it had come")
            let bob = try await entries(of: rig.bob.user!, log, layout)
            #expect(bob.contains { $0.key == last.key && $0.value == last.value })
        }
    }

    func publish(_ rig: RecordServiceRig, to log: MemoryLog) async throws {
        let relay = Task { await OutboxRelay(store: rig.service.store, layout: rig.service.layout, log: log).run() }
        try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
        relay.cancel()
        await relay.value
    }

    func entries(
        of user: UserRecordName, _ log: MemoryLog, _ layout: TopicLayout
    ) async throws -> [LogEntry] {
        let partition = TopicPartition(layout.pushAddresses, layout.partition(of: layout.userKey(user)))
        return try await log.follow(partition, from: 0).entriesToEnd()
    }
}
