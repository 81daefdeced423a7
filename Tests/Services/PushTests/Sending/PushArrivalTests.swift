import CloudMessages
import CloudModel
import EventLog
import JSON
import ProtocolBuffers
import TestSupport
import Testing

@testable import Push

/// Entries of `pushes` that are no notifications, and their payloads.
@Suite struct PushArrivalTests {
    private static let payloads = PushPayloads(container: ContainerIdentifier(trusted: "iCloud.test")) {
        "change-\($0.change)"
    }

    private static func entry(
        badge: Int64? = nil, read: [Int64] = [], omitted: OmittedNotifications? = nil, kind: String = "apns"
    ) -> PushEntry {
        var entry = Pushed.entry(9, at: 4, [Pushed.target("phone", kind, badge: badge), Pushed.target("tablet", kind)])
        entry.notification = nil
        (entry.read, entry.omitted, entry.hints) = (read, omitted, [FeedHint()])
        return entry
    }

    private static func omitted(_ count: Int32 = 7) -> OmittedNotifications {
        OmittedNotifications(
            database: 1, change: 9, reason: 1, recordType: "T", recordName: "r",
            zone: ZoneMessage(ZoneID(name: ZoneName(trusted: "z"), owner: Pushed.user)), count: count)
    }

    /// The payload as APNs gets it.
    private static func json(_ entry: PushEntry, contents: PushContents = .full) throws -> JSONValue {
        let push = try #require(try PushArrival.reading(entry.encoded()).first).push
        let bytes = try #require(push.content)
        let content = try #require(try PushedContent(PushEntry(decoding: bytes)))
        let payload = payloads.payload(
            content, of: Pushed.user, badge: push.badge, read: push.read, asSilent: false)
        return payload.sent(within: 4096, contents, isVisible: push.isVisible).json
    }

    @Test("a badge that is set has nothing but the badge")
    func badge() throws {
        let push = try #require(try PushArrival.reading(Self.entry(badge: 0).encoded()).first).push
        #expect(push.isMark && push.isVisible && push.badge == 0 && push.name.offset == 4)
        for contents in PushContents.allCases {
            let json = try Self.json(Self.entry(badge: 0), contents: contents)
            #expect(json["aps"] == ["badge": 0])
            #expect(json["ck"] == ["ce": 2, "cid": "iCloud.test", "ckuserid": .string(Pushed.user.rawValue)])
        }
    }

    @Test("read notifications are a silent push with their IDs, the newest first")
    func read() throws {
        let push = try #require(try PushArrival.reading(Self.entry(read: [7, 8]).encoded()).first).push
        #expect(push.isMark && !push.isVisible && push.isReadMark && push.read == [7, 8])
        let json = try Self.json(Self.entry(read: [7, 8]))
        #expect(json["aps"] == ["content-available": 1] && json["ck"]?["read"] == ["change-8", "change-7"])
        #expect(json["ck"]?["nid"] == nil && json["ck"]?["p"] == nil)
    }

    @Test("left out notifications are a silent push of CloudKit's form for a change in a database, with their number")
    func omittedNotifications() throws {
        let push = try #require(try PushArrival.reading(Self.entry(omitted: Self.omitted()).encoded()).first).push
        #expect(!push.isMark && !push.isVisible && !push.isReadMark)
        for contents in PushContents.allCases {
            let json = try Self.json(Self.entry(omitted: Self.omitted()), contents: contents)
            #expect(json["aps"] == ["content-available": 1])
            #expect(json["ck"]?["nid"] == "change-9" && json["ck"]?["omitted"] == 7 && json["ck"]?["aux"] == [:])
            #expect(json["ck"]?["met"] == ["dbs": 2, "zid": "z", "zoid": .string(Pushed.user.rawValue)])
        }
    }

    @Test("IDs that go with a notification are the first to be left out, and are no missing part")
    func pruning() throws {
        let entry = Pushed.entry(9, at: 4, [Pushed.target("phone", "apns")])
        let content = try #require(try PushedContent(entry))
        let payload = Self.payloads.payload(
            content, of: Pushed.user, badge: 3, read: Array(1...20), asSilent: false)
        let ids = (1...20).reversed().map { JSONValue.string("change-\($0)") }
        #expect(payload.sent(within: 4096).json["ck"]?["read"] == .array(ids))
        let less = payload.sent(within: 300)
        #expect(less.json["ck"]?["read"] == nil && !less.isPruned && less.json["ck"]?["cid"] != nil)
        let silent = Self.payloads.payload(content, of: Pushed.user, badge: nil, read: [], asSilent: true)
        #expect(silent.sent(within: 4096).json["aps"] == ["content-available": 1])
    }

    /// The pushes that a version before addresses made of an entry, whose couriers read each notification in it: it
    /// passes entries with hints by.
    private static func pushesOfCouriers(_ bytes: [UInt8]) throws -> Int {
        let entry = try PushEntry(decoding: bytes)
        guard entry.source?.position != nil else { throw MalformedMessage("no source") }
        guard entry.hints.isEmpty else { return 0 }
        guard entry.notification != nil else { throw MalformedMessage("no notification") }
        return entry.targets.count
    }

    @Test("readers of notifications pass them by, and senders pass by what they do not know")
    func others() throws {
        let notification = Pushed.entry(9, at: 4, [Pushed.target("phone"), Pushed.target("tablet")])
        #expect(try Self.pushesOfCouriers(notification.encoded()) == 2)
        let entries = [Self.entry(badge: 3), Self.entry(read: [7]), Self.entry(omitted: Self.omitted())]
        for entry in entries {
            #expect(try Self.pushesOfCouriers(entry.encoded()) == 0)
            #expect(try PushArrival.reading(entry.encoded()).map(\.destination.device.rawValue) == ["phone", "tablet"])
        }
        #expect(try PushArrival.reading(Self.entry().encoded()).isEmpty, "a form of a later version")
        var malformed = Self.entry()
        malformed.hints = []
        #expect(throws: MalformedMessage.self) { try PushArrival.reading(malformed.encoded()) }
        var zoneless = Self.omitted()
        zoneless.zone = nil
        #expect(throws: MalformedMessage.self) { try PushArrival.reading(Self.entry(omitted: zoneless).encoded()) }
    }

    @Test("an entry is a push for each target, with the target's badge and the address that it is for")
    func targets() throws {
        var entry = Pushed.entry(9, at: 4, [Pushed.target("one", badge: 7), Pushed.target("two", "webPush")])
        entry.targets[1].since = 5
        let arrivals = try PushArrival.reading(entry.encoded(), at: 11)
        #expect(arrivals.map(\.destination.device.rawValue) == ["one", "two"])
        #expect(arrivals.map(\.destination.kind) == [.apns, .webPush])
        #expect(arrivals.allSatisfy { $0.user == Pushed.user && $0.destination.epoch == DeviceEpoch(3) })
        #expect(arrivals.map(\.push.badge) == [7, nil] && arrivals.map(\.push.sequence.rawValue) == [0, 5])
        #expect(arrivals.allSatisfy { $0.push.name.offset == 4 && $0.push.offset == 11 && !$0.push.isMark })
        for (arrival, target) in zip(arrivals, entry.targets) {
            let bytes = try #require(arrival.push.content)
            let content = try PushEntry(decoding: bytes)
            #expect(content.targets.map { $0.encoded() } == [target.encoded()], "the others are not its concern")
            guard case .notification(let notification)? = try PushedContent(content),
                case .query(let query) = notification.content
            else {
                Issue.record("no notification of \(arrival.destination.device)")
                continue
            }
            let expected = Pushed.notification(.query)
            #expect(notification.subject == expected.subject && notification.changed == expected.changed)
            #expect(query.subscription.user == Pushed.user && query.appearance.alert.text == "b")
            #expect(query.badge == nil, "the target has it")
        }
    }

    @Test("what cannot be read throws")
    func unreadable() {
        var nameless = Pushed.entry(9, at: 4, [Pushed.target("one")])
        nameless.source = nil
        var empty = Pushed.entry(9, at: 5, [Pushed.target("one")])
        empty.notification = nil
        for bytes in [[0xff], nameless.encoded(), empty.encoded()] {
            #expect(throws: (any Error).self) { try PushArrival.reading(bytes) }
        }
    }
}
