import CloudModel
import JSON
import Push
import TestSupport
import Testing

/// The parts that are left out of a payload that is too large (docs/cloudkit.md#pruning).
@Suite struct PushPruningTests {
    /// Every piece of a payload, first the one that goes first.
    private static let order = [
        "ck.cid", "ck.qry.af.b", "ck.qry.af.a", "ck.qry.rid ck.qry.zid ck.qry.zoid", "ck.qry.fo", "ck.qry.dbs",
        "aps.alert.subtitle", "aps.alert.subtitle-loc-args", "aps.alert.subtitle-loc-key", "aps.alert.title",
        "aps.alert.title-loc-args", "aps.alert.title-loc-key", "aps.content-available", "aps.sound",
        "aps.alert.launch-image", "aps.alert.action-loc-key", "aps.category", "aps.alert.body", "aps.alert.loc-args",
        "aps.alert.loc-key", "aps.badge", "ck.nid",
    ]
    private static let lasting = ["ck.ce", "ck.ckuserid", "ck.qry.sid", "aps.mutable-content"]

    /// A payload with everything in it, and bytes that nothing can take away.
    private func payload(filler: Int) -> PushPayload {
        let text = AlertText("text", localizationKey: "key", localizationArgs: ["a"])
        let fields = PushPayloadTests.fields(["a": .string("short"), "b": .string("the longer one")])
        return PushPayloadTests.payload(
            detail: .query(reason: .created, record: RecordName(trusted: "r"), zone: .publicDefault, fields: fields),
            user: UserRecordName(trusted: String(repeating: "u", count: filler)),
            Appearance(
                alert: text, title: text, subtitle: text, actionLocalizationKey: "action", launchImage: "launch",
                soundName: "sound", category: "category", isContentAvailable: true, isContentMutable: true),
            badge: 7)
    }

    private func has(_ path: Substring, _ payload: JSONValue) -> Bool {
        var place: JSONValue? = payload
        for key in path.split(separator: ".") { place = place?[String(key)] }
        return place != nil
    }

    private func isThere(_ piece: String, _ payload: JSONValue) -> Bool {
        let found = piece.split(separator: " ").map { has($0, payload) }
        #expect(Set(found).count == 1, "\(piece) goes as one")
        return found[0]
    }

    @Test func piecesGoInOrder() throws {
        var lost: Set<Int> = []
        for filler in stride(from: 3200, through: 4010, by: 2) {
            let payload = payload(filler: filler)
            let bytes = try payload.json.serialized().count
            #expect(bytes <= Limits.pushPayloadBytesMax, "\(filler)")
            let there = Self.order.map { isThere($0, payload.json) }
            let count = there.firstIndex(of: true) ?? there.count
            #expect(!there[count...].contains(false), "\(filler): \(zip(Self.order, there).map { "\($0) \($1)" })")
            #expect(Self.lasting.allSatisfy { has($0[...], payload.json) }, "\(filler)")
            #expect(payload.isPruned == (count > 0) && (payload.json["ck"]?["p"] == 1) == (count > 0))
            lost.insert(count)
        }
        #expect(lost == Set(0...Self.order.count), "each of them was the last to go at some size")
    }

    /// Nothing goes that could stay: with the last piece that went, the payload is too large.
    @Test func noMoreGoesThanHasTo() throws {
        let exact = (0...4096).first { payload(filler: $0).isPruned }
        let whole = payload(filler: try #require(exact) - 1)
        #expect(try whole.json.serialized().count == Limits.pushPayloadBytesMax)
    }

    @Test func zonesAndDatabasesLoseTheirDetails() {
        let zone = ZoneID(name: .defaultZone, owner: PushPayloadTests.user)
        let long = UserRecordName(trusted: String(repeating: "u", count: 3930))
        for (detail, key) in [(PushPayload.Detail.zone(zone), "fet"), (.database(zone), "met")] {
            let payload = PushPayloadTests.payload(.private, detail: detail, user: long)
            #expect(payload.json["ck"]?[key]?["zid"] == nil && payload.json["ck"]?[key]?["sid"] != nil)
            #expect(payload.isPruned)
        }
    }

    /// When only the text of the alert is left, it stands for itself again.
    @Test func aLoneTextIsATextAgain() {
        let long = String(repeating: "x", count: 4000)
        let payload = PushPayloadTests.payload(
            Appearance(alert: AlertText("body"), title: AlertText(long), subtitle: AlertText(long)))
        #expect(payload.json["aps"]?["alert"] == "body")
    }

    // MARK: Anything

    /// However much a subscription asks for and a record holds: the payload fits, and says when something is missing.
    @Test(arguments: 1...8)
    func payloadsFit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let appearance = Self.appearance(&random)
            let names = ["a", "b", "c"].prefix(Int.random(in: 0...3, using: &random))
            var values: [String: FieldValue] = [:]
            for name in names { values[name] = Self.value(&random) }
            let payload = PushPayloadTests.payload(
                detail: .query(
                    reason: .updated, record: RecordName(trusted: Self.name(&random)), zone: .publicDefault,
                    fields: PushPayloadTests.fields(values)), appearance,
                badge: Bool.random(using: &random) ? .max : nil)
            let bytes = try payload.json.serialized()
            #expect(bytes.count <= Limits.pushPayloadBytesMax, "seed \(seed): \(bytes.count)")
            let isWhole =
                payload.json["ck"]?["cid"] != nil && payload.json["ck"]?["qry"]?["rid"] != nil
                && payload.json["ck"]?["qry"]?["af"]?.object?.count ?? 0 == names.count
            #expect(payload.isPruned == !isWhole, "seed \(seed)")
            #expect(payload.json["ck"]?["nid"] != nil, "seed \(seed)")
        }
    }

    private static func text(_ random: inout SeededGenerator, max: Int = 4096) -> String {
        let parts = ["x", "ä", "€", "\u{1}", "\"", "\\", "👩‍👩‍👧‍👦", "e\u{301}\u{302}", "\n"]
        let part = parts.randomElement(using: &random)!
        let lengths = [0, 1, 10, 99, 100, 101, 500, max]
        let text = String(repeating: part, count: lengths.randomElement(using: &random)!)
        return text.cut(to: max)
    }

    private static func name(_ random: inout SeededGenerator) -> String {
        String(repeating: Bool.random(using: &random) ? "n" : "\"", count: Int.random(in: 1...255, using: &random))
    }

    private static func optional(_ random: inout SeededGenerator) -> String? {
        Int.random(in: 0..<3, using: &random) == 0 ? text(&random) : nil
    }

    private static func alert(_ random: inout SeededGenerator) -> AlertText<String> {
        AlertText(
            optional(&random), localizationKey: optional(&random),
            localizationArgs: (0..<Int.random(in: 0...10, using: &random)).map { _ in text(&random) })
    }

    private static func appearance(_ random: inout SeededGenerator) -> Appearance<String> {
        Appearance(
            alert: alert(&random), title: alert(&random), subtitle: alert(&random),
            actionLocalizationKey: optional(&random), launchImage: optional(&random), soundName: optional(&random),
            category: optional(&random), isContentAvailable: Bool.random(using: &random),
            isContentMutable: Bool.random(using: &random), collapseID: optional(&random))
    }

    private static func value(_ random: inout SeededGenerator) -> FieldValue {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .int64(.random(in: .min ... .max, using: &random))
        case 1: .double(.random(in: -1e300...1e300, using: &random))
        case 2:
            .reference(
                Reference(
                    recordName: RecordName(trusted: name(&random)),
                    zone: ZoneID(name: ZoneName(trusted: name(&random)), owner: PushPayloadTests.user),
                    action: .validate))
        default: .string(text(&random, max: 100_000))
        }
    }
}
