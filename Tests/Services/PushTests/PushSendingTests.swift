import CloudModel
import JSON
import TestSupport
import Testing

@testable import Push

/// The form of payloads that providers send.
@Suite struct PushSendingTests {
    @Test("a push that shows nothing always has content-available, however small the limit")
    func contentAvailable() {
        let payload = PushPayloadTests.payload(Appearance(category: "c", isContentMutable: true))
        #expect(payload.json["aps"] == ["category": "c", "mutable-content": 1], "feeds are as before")
        for limit in stride(from: 400, through: 40, by: -1) {
            let sent = payload.sent(within: limit)
            #expect(sent.json["aps"]?["content-available"] == 1 && sent.json["aps"]?["mutable-content"] == nil)
            #expect(!sent.delivery.isVisible)
        }
        #expect(payload.sent(within: 4096).json["aps"] == ["category": "c", "content-available": 1])
        #expect(!payload.sent(within: 4096).isPruned)
    }

    @Test("a push that is pruned until it shows nothing wakes the app")
    func prunedToNothing() {
        let look = Appearance<String>(
            alert: AlertText(String(repeating: "x", count: 600)), isContentAvailable: true, isContentMutable: true)
        let sent = PushPayloadTests.payload(look).sent(within: 300)
        #expect(sent.json["aps"] == ["content-available": 1] && !sent.delivery.isVisible && sent.isPruned)
        #expect(sent.bytes.count <= 300)
    }

    @Test("mutable-content is beside an alert only")
    func mutableContent() {
        let alert = Appearance<String>(alert: AlertText("x"), isContentMutable: true)
        #expect(PushPayloadTests.payload(alert).sent(within: 4096).json["aps"] == ["alert": "x", "mutable-content": 1])
        let sound = Appearance<String>(soundName: "s", isContentMutable: true)
        #expect(PushPayloadTests.payload(sound, badge: 1).sent(within: 4096).json["aps"] == ["sound": "s", "badge": 1])
    }

    @Test("a silent form has no alert, sound or badge")
    func silenced() {
        let look = Appearance<String>(
            alert: AlertText("x"), title: AlertText("t"), actionLocalizationKey: "a", launchImage: "l", soundName: "s",
            category: "c", isContentMutable: true)
        let sent = PushPayloadTests.payload(look, badge: 4).sent(within: 4096, isVisible: false)
        #expect(sent.json["aps"] == ["category": "c", "content-available": 1] && !sent.delivery.isVisible)
    }

    private static let secret = "SECRET"

    /// Everything that may hold a value of a record, or a text.
    private static func full(key: String? = nil, arguments: [String] = [secret]) -> PushPayload {
        let text = AlertText(secret, localizationKey: key, localizationArgs: arguments)
        return PushPayloadTests.payload(
            detail: .query(
                reason: .updated, record: RecordName(trusted: "r"), zone: .publicDefault,
                fields: PushPayloadTests.fields([secret: .string(secret)])),
            Appearance(
                alert: text, title: text, subtitle: text, actionLocalizationKey: secret, launchImage: secret,
                soundName: secret, category: secret, isContentMutable: true, collapseID: secret), badge: 7)
    }

    @Test("without contents a push has IDs and a key")
    func none() throws {
        let sent = Self.full().sent(within: 4096, .none)
        #expect(
            sent.json == [
                "aps": ["alert": ["loc-key": "FANFARE_NOTIFICATION"], "mutable-content": 1],
                "ck": [
                    "ce": 2, "cid": "iCloud.com.example", "ckuserid": "_0123456789abcdef0123456789abcdef",
                    "nid": "6f1c0d0e-0000-4000-8000-000000000001", "p": 1,
                    "qry": [
                        "dbs": 2, "rid": "r", "sid": "sub-1", "zid": "_defaultZone", "zoid": "_defaultOwner",
                    ],
                ],
            ])
        #expect(!String(decoding: sent.bytes, as: UTF8.self).contains(Self.secret) && sent.delivery.isVisible)
    }

    @Test("the key is the subscription's own, if it needs no arguments")
    func ownKey() {
        func key(_ payload: PushPayload) -> JSONValue? {
            payload.sent(within: 4096, .none).json["aps"]?["alert"]?["loc-key"]
        }
        #expect(key(Self.full(key: "NEW", arguments: [])) == "NEW")
        #expect(key(Self.full(key: "NEW_FROM", arguments: ["x"])) == "FANFARE_NOTIFICATION")
        #expect(key(PushPayloadTests.payload(Appearance(title: AlertText("x")))) == "FANFARE_NOTIFICATION")
    }

    @Test("without contents, one that shows no text shows nothing")
    func noneWithoutAlert() {
        let look = Appearance<String>(soundName: "s", isContentAvailable: true)
        let sent = PushPayloadTests.payload(look, badge: 2).sent(within: 4096, .none)
        #expect(sent.json["aps"] == ["content-available": 1] && !sent.delivery.isVisible)
    }

    @Test("without contents, parts that did not fit before are there again")
    func noneAfterPruning() {
        let payload = PushPayloadTests.payload(Appearance(alert: AlertText(String(repeating: "x", count: 4096))))
        #expect(payload.isPruned && payload.json["ck"]?["qry"]?["rid"] == nil)
        let sent = payload.sent(within: 3993, .none)
        #expect(sent.json["ck"]?["qry"]?["rid"] == "RECORD-NAME" && sent.json["ck"]?["cid"] != nil)
    }

    @Test("the limit is a parameter: nothing goes that could stay", arguments: [4096, 3993, 1000])
    func limits(limit: Int) throws {
        func payload(_ count: Int) -> PushPayload {
            PushPayloadTests.payload(
                .public, user: UserRecordName(trusted: String(repeating: "u", count: count)),
                Appearance(title: AlertText("t")))
        }
        let exact = try #require((0...4096).first { payload($0).sent(within: limit).isPruned })
        #expect(payload(exact - 1).sent(within: limit).bytes.count == limit)
        #expect(payload(exact).sent(within: limit).bytes.count <= limit)
    }

    @Test("a tag is beside aps and ck, counts to the limit and is never left out")
    func tags() {
        let payload = PushPayloadTests.payload(Appearance(alert: AlertText(String(repeating: "x", count: 800))))
        #expect(payload.json["fanfare"] == nil && payload.sent(within: 4096).json["fanfare"] == nil)
        for limit in stride(from: 1200, through: 300, by: -25) {
            for contents in [PushContents.full, .none] {
                let sent = payload.sent(within: limit, contents, tag: "T")
                #expect(sent.json["fanfare"] == ["tag": "T"] && sent.bytes.count <= limit)
            }
        }
    }
}
