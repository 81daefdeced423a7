import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Identity
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// The addresses of users who are signed out, blocked or deleted, and of keys that are revoked.
extension PushAddressTests {
    private func withAddresses() async throws -> (rig: RecordServiceRig, last: Int64) {
        let rig = try await rig()
        for address in [token(1), browser("x"), webhook("x")] { _ = try await set(rig, address, phone, rig.alice) }
        _ = try await set(rig, token(2), laptop, rig.bob)
        return (rig, try await rig.service.store.read { try $0.settledSequence() }.rawValue)
    }

    private func stored(_ rig: RecordServiceRig) async throws -> [StoredPushAddress] {
        try await rig.service.store.read { try $0.pushAddresses(of: phone) }
    }

    private static let withdrawn = [
        "gone phone apns", "lost phone apns", "gone phone webPush", "lost phone webPush", "gone phone webhook",
        "lost phone webhook",
    ]
    private static let restored = [
        "at phone apns", "has phone apns", "at phone webPush", "has phone webPush", "at phone webhook",
        "has phone webhook",
    ]

    @Test("a block withdraws all addresses of the user, and an end of the block publishes them as registered then")
    func blocks() async throws {
        let (rig, last) = try await withAddresses()
        let alice = rig.alice.user!
        let before = try await stored(rig)
        try await rig.identity.setBlocked(true, alice)
        #expect(try await published(rig, after: last) == Self.withdrawn)
        #expect(try await stored(rig) == before, "the store keeps them")
        let blocked = try await rig.service.store.read { try $0.settledSequence() }.rawValue
        try await rig.identity.setBlocked(false, alice)
        #expect(try await published(rig, after: blocked) == Self.restored)
        let after = try await stored(rig)
        #expect(after.map(\.sealed) == before.map(\.sealed) && after.map(\.registered) == before.map(\.registered))
        for address in after {
            #expect(address.since == address.sequence && address.sequence.rawValue > blocked)
            let rows = try await rig.outbox()
            let row = try #require(rows.first { $0.sequence == address.sequence })
            #expect(row.destination == .pushAddresses)
            let has = rows.contains { row in
                guard row.destination == .deliveries, let value = row.value,
                    case .courierChanged(let event)? = try? DeliveryEntry(decoding: value).event
                else { return false }
                return event.courier == address.kind.rawValue && event.since == address.since.rawValue
            }
            #expect(has, "delivery knows \(address.kind) since its entry")
        }
    }

    @Test("nothing publishes an address of a blocked user: no request, repair, other key, sign-out or second block")
    func nothingWhileBlocked() async throws {
        let (rig, _) = try await withAddresses()
        let alice = rig.alice.user!
        try await rig.identity.setBlocked(true, alice)
        func blocked() async throws -> Int64 { try await rig.service.store.read { try $0.settledSequence() }.rawValue }
        var last = try await blocked()
        func expectNone(_ what: String) async throws {
            let rows = try await published(rig, after: last).filter { $0.contains("phone") }
            #expect(rows.allSatisfy { $0.hasPrefix("gone") || $0.hasPrefix("lost") }, "\(what): \(rows)")
            last = try await blocked()
        }
        // A request that was let in before the block.
        await expect(code: .accessDenied) { _ = try await set(rig, token(3), phone, rig.alice) }
        try await expectNone("a registration")
        _ = try await rig.service.commit(in: .whole) { try $0.renew(phone) }
        try await expectNone("a device that is registered again")
        var ring = rig.keys
        ring.rotateIdentifierKey()
        let rotated = RecordService(layout: rig.service.layout, store: rig.service.store, keys: ring)
        #expect(try await rotated.resealFields().resealed == 4)
        try await expectNone("another key")
        try await rig.identity.setBlocked(true, alice)
        #expect(try await published(rig, after: last) == Self.withdrawn, "a second block says it again")
        last = try await blocked()
        let log = MemoryLog()
        _ = try await log.createTopics(rig.service.layout.fixedTopics)
        let counts = try await StoreRepair(rig.service, log: log).publishAddresses()
        #expect(counts == (1, 0))
        try await expectNone("a repair of addresses")
        _ = try await StoreRepair(rig.service, log: log).compareDevices(with: [])
        try await expectNone("a repair of devices")
        // A blocked user who is signed out has no addresses to come back to.
        try await rig.identity.endSessions(of: alice)
        try await expectNone("a sign-out")
        try await rig.identity.setBlocked(false, alice)
        #expect(try await published(rig, after: last).isEmpty)
        #expect(try await set(rig, token(1), phone, rig.alice) == ["apns"])
    }

    @Test("addresses go with all sessions of their user and with the identity, at once", arguments: ["end", "delete"])
    func signOuts(_ how: String) async throws {
        let (rig, last) = try await withAddresses()
        let alice = rig.alice.user!
        if how == "end" {
            try await rig.identity.endSessions(of: alice)
        } else {
            try await rig.identity.removeUser(alice)
        }
        #expect(try await published(rig, after: last) == Self.withdrawn)
        #expect(try await stored(rig).isEmpty)
        #expect(try await rig.service.store.read { try $0.pushAddresses(of: laptop) }.count == 1, "another user's stay")
        guard how == "end" else { return }
        // The app registers its token at its next start.
        #expect(try await set(rig, token(1), phone, rig.alice) == ["apns"])
    }

    @Test("the end of one session leaves the addresses")
    func oneSession() async throws {
        let (rig, last) = try await withAddresses()
        let session = try await rig.identity.beginSession(of: rig.alice.user!, isBrief: false)
        try await rig.identity.end(session, until: rig.now.advanced(by: .seconds(60)))
        #expect(try await published(rig, after: last).isEmpty)
        #expect(try await stored(rig).count == 3)
    }

    @Test("a server-to-server key that is revoked takes its webhooks with it")
    func revokedKeys() async throws {
        let (rig, _) = try await withAddresses()
        var hooks: [(key: String, device: DeviceID)] = []
        for name in ["first", "second"] {
            let key = try await rig.identity.makeServerKey(note: name).id
            let caller = Caller(user: try await rig.identity.user(ofServerKey: key))
            let device = DeviceID(trusted: name)
            _ = try await rig.service.registerDevice(device, name: "", platform: "", for: caller)
            _ = try await set(rig, webhook("hook"), device, caller)
            hooks.append((key, device))
        }
        let last = try await rig.service.store.read { try $0.settledSequence() }.rawValue
        try await rig.identity.revokeServerKey(hooks[0].key)
        let other = hooks[1].device
        #expect(try await published(rig, after: last) == ["gone first webhook", "lost first webhook"])
        #expect(try await rig.service.store.read { try $0.pushAddresses(of: other) }.count == 1)
    }
}
