import CloudModel
import JSON
import Push
import TestSupport
import Testing

/// Push payloads in the form of docs/cloudkit.md#push-payload.
@Suite struct PushPayloadTests {
    static let user = UserRecordName(trusted: "_0123456789abcdef0123456789abcdef")
    static let id = "6f1c0d0e-0000-4000-8000-000000000001"

    static func payload(
        _ database: DatabaseScope = .public, detail: PushPayload.Detail? = nil, user: UserRecordName = user,
        _ appearance: Appearance<String> = Appearance(), badge: Int64? = nil
    ) -> PushPayload {
        let zone = database == .public ? ZoneID.publicDefault : ZoneID(name: .defaultZone, owner: user)
        return PushPayload(
            id: id, container: ContainerIdentifier(trusted: "iCloud.com.example"),
            subscription: SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: "sub-1")),
            detail: detail
                ?? .query(
                    reason: .created, record: RecordName(trusted: "RECORD-NAME"), zone: zone, fields: RecordFields()),
            appearance: appearance, badge: badge)
    }

    /// In the public database, of a record without fields.
    static func payload(_ appearance: Appearance<String>, badge: Int64? = nil) -> PushPayload {
        payload(.public, appearance, badge: badge)
    }

    static func fields(_ values: [String: FieldValue]) -> RecordFields {
        var fields = RecordFields()
        for (name, value) in values { fields[FieldName(trusted: name)] = value }
        return fields
    }

    // MARK: The captures of docs/cloudkit.md#push-payload

    @Test func aSilentPushIsAsCaptured() throws {
        let captured = try JSONValue(
            parsing: Array(
                """
                { "aps": {"content-available": 1},
                  "ck":  {"ce": 2, "cid": "iCloud.com.example", "ckuserid": "_0123456789abcdef0123456789abcdef",
                          "nid": "6f1c0d0e-0000-4000-8000-000000000001",
                          "qry": {"dbs": 1, "fo": 1, "rid": "RECORD-NAME", "sid": "sub-1",
                                  "zid": "_defaultZone", "zoid": "_0123456789abcdef0123456789abcdef"}}}
                """.utf8))
        #expect(Self.payload(.private, Appearance(isContentAvailable: true)).json == captured)
    }

    @Test func aVisiblePushWithFieldsIsAsCaptured() throws {
        let captured = try JSONValue(
            parsing: Array(
                """
                { "aps": {"alert": "New chat", "badge": 180, "sound": "default"},
                  "ck":  {"ce": 2, "cid": "iCloud.com.example", "ckuserid": "_0123456789abcdef0123456789abcdef",
                          "nid": "6f1c0d0e-0000-4000-8000-000000000001",
                          "qry": {"dbs": 2, "fo": 1, "rid": "RECORD-NAME", "sid": "sub-1", "zid": "_defaultZone",
                                  "zoid": "_defaultOwner", "af": {"ownerName": "Jay", "count": 3}}}}
                """.utf8))
        let fields = Self.fields(["ownerName": .string("Jay"), "count": .int64(3)])
        let payload = Self.payload(
            detail: .query(
                reason: .created, record: RecordName(trusted: "RECORD-NAME"), zone: .publicDefault, fields: fields),
            Appearance(alert: AlertText("New chat"), soundName: "default"), badge: 180)
        #expect(payload.json == captured && !payload.isPruned)
    }

    @Test func pushesOfZonesAndDatabasesAreAsCaptured() throws {
        let zone = ZoneID(name: ZoneName(trusted: "MyZone"), owner: Self.user)
        let place: JSONObject = [
            "dbs": 1, "sid": "sub-1", "zid": "MyZone", "zoid": "_0123456789abcdef0123456789abcdef",
        ]
        let common: JSONObject = [
            "ce": 2, "cid": "iCloud.com.example", "ckuserid": "_0123456789abcdef0123456789abcdef",
            "nid": .string(Self.id),
        ]
        var ofZone = common
        ofZone["fet"] = .object(place)
        let silent = Appearance<String>(isContentAvailable: true)
        #expect(
            Self.payload(.private, detail: .zone(zone), silent).json == [
                "aps": ["content-available": 1], "ck": .object(ofZone),
            ])
        var ofDatabase = common
        ofDatabase["aux"] = [:]
        ofDatabase["met"] = .object(place)
        #expect(
            Self.payload(.private, detail: .database(zone), silent).json == [
                "aps": ["content-available": 1], "ck": .object(ofDatabase),
            ])
    }

    @Test(arguments: [(.private, 1), (.public, 2), (.shared, 3)] as [(DatabaseScope, Int64)])
    func databasesHaveTheNumbersOfPushes(database: DatabaseScope, number: Int64) {
        #expect(Self.payload(database).json["ck"]?["qry"]?["dbs"]?.integer == number)
    }

    @Test(arguments: [(.created, 1), (.updated, 2), (.deleted, 3)] as [(Change.Kind, Int64)])
    func reasonsHaveTheirNumbers(kind: Change.Kind, number: Int64) {
        let detail = PushPayload.Detail.query(
            reason: kind, record: RecordName(trusted: "r"), zone: .publicDefault, fields: RecordFields())
        #expect(Self.payload(detail: detail).json["ck"]?["qry"]?["fo"]?.integer == number)
    }

    // MARK: aps (docs/cloudkit.md#push-payload)

    @Test(
        arguments: [
            (Appearance(), nil),
            (Appearance(alert: AlertText("text")), "text"),
            (Appearance(alert: AlertText("")), ""),
            (
                Appearance(alert: AlertText("text"), title: AlertText("t"), subtitle: AlertText("s")),
                ["body": "text", "title": "t", "subtitle": "s"]
            ),
            (
                Appearance(alert: AlertText("text", localizationKey: "K", localizationArgs: ["a", "b"])),
                ["body": "text", "loc-key": "K", "loc-args": ["a", "b"]]
            ),
            (
                Appearance(
                    title: AlertText(localizationKey: "T", localizationArgs: ["1"]),
                    subtitle: AlertText(localizationKey: "S", localizationArgs: ["2"])),
                [
                    "title-loc-key": "T", "title-loc-args": ["1"], "subtitle-loc-key": "S", "subtitle-loc-args": ["2"],
                ]
            ),
            (
                Appearance(alert: AlertText("text"), actionLocalizationKey: "A", launchImage: "L"),
                ["body": "text", "action-loc-key": "A", "launch-image": "L"]
            ),
        ] as [(Appearance<String>, JSONValue?)])
    func theAlertIsATextOrAnObject(appearance: Appearance<String>, alert: JSONValue?) {
        #expect(Self.payload(appearance).json["aps"]?["alert"] == alert)
    }

    @Test func apsHasTheRequestedMembers() {
        let all = Appearance<String>(
            soundName: "ding", category: "c", isContentAvailable: true, isContentMutable: true, collapseID: "x")
        #expect(
            Self.payload(all, badge: 0).json["aps"] == [
                "sound": "ding", "category": "c", "content-available": 1, "mutable-content": 1, "badge": 0,
            ])
        #expect(Self.payload().json["aps"] == [:])
    }

    @Test func textsOfTheRecordAreCutAtAHundredCharacters() throws {
        let long = String(repeating: "ä", count: 101)
        let fields = Self.fields([
            "s": .string(long), "t": .timestamp(Timestamp(milliseconds: 5)),
            "r": .reference(Reference(recordName: RecordName(trusted: "q"), action: .none)),
        ])
        let payload = Self.payload(
            detail: .query(reason: .updated, record: RecordName(trusted: "r"), zone: .publicDefault, fields: fields),
            Appearance(alert: AlertText(long, localizationKey: long, localizationArgs: [long, "x"])))
        let cut = JSONValue.string(String(repeating: "ä", count: 100))
        #expect(payload.json["ck"]?["qry"]?["af"] == ["s": cut, "t": 5, "r": ["recordName": "q", "action": "NONE"]])
        #expect(payload.json["aps"]?["alert"]?["loc-args"] == [cut, "x"])
        #expect(payload.json["aps"]?["alert"]?["body"]?.string == long, "what the subscription says is whole")
        #expect(!payload.isPruned && payload.json["ck"]?["p"] == nil)
    }

    // MARK: Priority (docs/cloudkit.md#notificationinfo)

    @Test(
        arguments: [
            (Appearance(), nil, false), (Appearance(isContentAvailable: true), nil, false),
            (Appearance(category: "c", isContentAvailable: true, isContentMutable: true), nil, false),
            (Appearance(alert: AlertText("x"), isContentAvailable: true), nil, true),
            (Appearance(alert: AlertText(localizationKey: "K")), nil, true),
            (Appearance(title: AlertText("x")), nil, true), (Appearance(subtitle: AlertText("x")), nil, true),
            (Appearance(soundName: "default"), nil, true), (Appearance(), 1, true),
        ] as [(Appearance<String>, Int64?, Bool)])
    func visiblePushesHaveHighPriority(appearance: Appearance<String>, badge: Int64?, isVisible: Bool) {
        let delivery = Self.payload(appearance, badge: badge).delivery
        #expect(delivery.pushType == (isVisible ? .alert : .background))
        #expect(delivery.priority == (isVisible ? 10 : 5))
        #expect(delivery.collapseID == nil)
    }

    @Test("the collapse identifier is the subscription's, and an empty one is none")
    func collapseIdentifiers() {
        let long = String(repeating: "€", count: 40)
        #expect(Self.payload(Appearance(collapseID: long)).delivery.collapseID == long)
        #expect(Self.payload(Appearance(collapseID: "")).delivery.collapseID == nil)
    }
}
