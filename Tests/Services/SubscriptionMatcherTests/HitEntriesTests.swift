import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// How the hits of a change become entries of `deliveries`; all of it is part of the message version.
@Suite struct HitEntriesTests {
    private static let source = SourceID(origin: "changes.public", incarnation: 3, partition: 2)

    private func hit(_ user: Int, _ id: String, body: String? = nil, fields: [String] = []) -> SavedSubscription {
        let name = UserRecordName(trusted: "_user\(user)")
        var subscription = SubscriptionHistory.subscription(
            SubscriptionKey(user: name, database: .public, id: SubscriptionID(trusted: id)), above: 0)
        subscription.notificationInfo = NotificationInfo(
            alertBody: body, additionalFields: fields.map { FieldName(trusted: $0) }, shouldBadge: true)
        return SavedSubscription(subscription: subscription, created: CommitSequence(3), saved: CommitSequence(5))
    }

    private func change(_ fields: [String: FieldValue] = [:]) -> Change {
        var change = SubscriptionHistory.change(9, number: 5, after: 5)
        for (name, value) in fields { change.after!.fields[FieldName(trusted: name)] = value }
        return change
    }

    private func make(
        _ hits: [SavedSubscription], _ change: Change? = nil, changeBytes: Int = 0
    ) throws -> [DeliveryEntry] {
        try HitEntries(
            hits.map { FiredSubscription($0) }, of: change ?? self.change(), changeBytes: changeBytes,
            source: Self.source, number: 41
        ).map { made in
            let entry = try DeliveryEntry(reading: made.value)
            #expect(entry.user == made.user.rawValue && entry.source?.position.index == made.index)
            return entry
        }
    }

    private func message(_ entry: DeliveryEntry) -> HitsMessage? {
        if case .hits(let message)? = entry.event { message } else { nil }
    }

    private func hits(_ entry: DeliveryEntry) -> [Hit] { message(entry)?.hits ?? [] }

    @Test(arguments: 1...10)
    func theOrderOfTheMatcherDoesNotShow(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let all = (0..<5).flatMap { user in (0..<130).map { hit(user, "s\($0 % 7)-\($0)") } }
        let expected = try make(all)
        #expect(try make(all.shuffled(using: &random)) == expected, "seed \(seed)")
    }

    /// At most 100 hits in one entry, each entry with the next index, users by name, subscriptions by name.
    @Test func manyHitsAreSplit() throws {
        let all = [2, 1].flatMap { user in (0..<150).map { hit(user, "s\($0)") } } + [hit(3, "x")]
        let entries = try make(all)
        #expect(
            entries.map { $0.source!.position }
                == (0..<5).map { SourcePosition(source: Self.source, offset: 41, index: $0) })
        #expect(entries.map(\.user) == ["_user1", "_user1", "_user2", "_user2", "_user3"])
        #expect(entries.map { hits($0).count } == [100, 50, 100, 50, 1])
        #expect(entries.map { message($0)?.first } == [0, 100, 0, 100, 0])
        #expect(entries.allSatisfy { message($0)?.omitted == 0 })
        for user in ["_user1", "_user2"] {
            let ids = entries.filter { $0.user == user }.flatMap { hits($0).map(\.subscription) }
            #expect(ids == ids.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
            #expect(Set(ids).count == 150)
        }
    }

    /// What one save may cost does not grow with the subscriptions of somebody who is hit: the first ones are carried,
    /// the others counted, once, in the last entry.
    @Test(arguments: [201, 1000, 5000])
    func tooManyHitsOfAUserAreCounted(count: Int) throws {
        let all = (0..<count).map { hit(1, "s\($0)") } + [hit(2, "x")]
        let entries = try make(all.reversed())
        #expect(entries.map { hits($0).count } == [100, 100, 1])
        #expect(entries.map { message($0)?.omitted } == [0, Int32(count - 200), 0])
        let first = all.map(\.subscription.key.id.rawValue).dropLast().sorted().prefix(200)
        #expect(entries.prefix(2).flatMap { hits($0).map(\.subscription) } == Array(first))
    }

    @Test("of hits with much of their own the first and half a megabyte are carried, the others counted")
    func tooManyBytesOfAUserAreCounted() throws {
        func large(_ user: Int, _ number: Int) -> SavedSubscription {
            hit(user, "s\(10 + number)", body: "\(number)", fields: ["big"])
        }
        for (size, carried) in [(900_000, 1), (200_000, 3), (1000, 200)] {
            let change = change(["big": .string(String(repeating: "x", count: size))])
            let entries = try make((0..<200).map { large(1, $0) } + (0..<2).map { large(2, $0) }, change)
            let mine = entries.filter { $0.user == "_user1" }
            #expect(mine.reduce(0) { $0 + hits($1).count } == carried)
            #expect(mine.reduce(0) { $0 + Int(message($1)!.omitted) } == 200 - carried)
            #expect(mine.dropLast().allSatisfy { message($0)!.omitted == 0 })
            #expect(
                entries.filter { $0.user == "_user2" }.map { hits($0).count + Int(message($0)!.omitted) } == [2])
        }
    }

    @Test("what hits have in common is in an entry once: each of them costs its own part")
    func looksAreShared() throws {
        let text = String(repeating: "x", count: 900_000)
        let all = (0..<5).map { hit(1, "s\($0)", body: "b", fields: ["big"]) } + (5..<9).map { hit(1, "s\($0)") }
        let entries = try make(all, change(["big": .string(text)]))
        // The size of the change decides how the entries are made, not their content.
        #expect(try make(all, change(["big": .string(text)]), changeBytes: 10 << 20) == entries)
        #expect(entries.map { hits($0).count } == [9])
        #expect(hits(entries[0]).prefix(5).allSatisfy { $0.alertBody == "b" && $0.fields.map(\.name) == ["big"] })
        #expect(hits(entries[0]).dropFirst(5).allSatisfy { $0.alertBody == nil && $0.fields.isEmpty })
        let made = HitEntries(
            all.map { FiredSubscription($0) }, of: change(["big": .string(text)]), changeBytes: 0, source: Self.source,
            number: 41)
        #expect(made.reduce(0) { $0 + $1.value.count } < 901_000)
    }

    @Test("composed and decomposed letters are different texts, and small looks stay with their hits")
    func looksAreTakenByTheirBytes() throws {
        let texts = ["\u{e9}", "e\u{301}"].map { String(repeating: $0, count: 600) }
        let entries = try make((0..<8).map { hit(1, "s\($0)", body: texts[$0 % 2]) })
        #expect(hits(entries[0]).map { Array($0.alertBody!.utf8) } == (0..<8).map { Array(texts[$0 % 2].utf8) })
        let small = HitEntries(
            (0..<8).map { FiredSubscription(hit(1, "s\($0)", body: "New")) }, of: change(), changeBytes: 0,
            source: Self.source, number: 41)
        for made in small {
            guard case .hits? = try DeliveryEntry(decoding: made.value).event else {
                Issue.record("an older version does not read it")
                return
            }
        }
    }

    @Test("a look that is not in its entry is malformed")
    func looksAreChecked() throws {
        for number in [Int32(2), -1, .max, .min] {
            let message = HitsMessage(
                change: 1, hits: [Hit(subscription: "s", look: number)], looks: [HitLook(alertBody: "a")])
            let entry = DeliveryEntry(user: "_u", event: .sharedHits(message))
            #expect(throws: MalformedMessage.self) { try DeliveryEntry(reading: entry.encoded()) }
        }
    }

    @Test func anEntryHasTheNotificationsFields() throws {
        let change = change(["title": .string("Mona Lisa"), "other": .int64(1)])
        let entry = try #require(try make([hit(1, "s", body: "New", fields: ["title", "absent", "n"])], change).first)
        guard case .hits(let message)? = entry.event else { throw MalformedMessage("no hits") }
        #expect(entry.time == 9 && entry.user == "_user1")
        #expect(message.change == 9 && message.kind == 1 && message.recordType == "T" && message.recordName == "r9")
        #expect(message.origin?.user == SubscriptionHistory.users[0].rawValue)
        let hit = try #require(message.hits.first)
        #expect(hit.subscription == "s" && hit.database == 1 && hit.created == 3 && !hit.firesOnce && hit.shouldBadge)
        #expect(hit.alertBody == "New")
        #expect(hit.fields.map(\.name) == ["n", "title"])
    }

    /// The look is made here: names of fields become their values, and so are the same in every feed and replay.
    @Test func anEntryHasTheAppearance() throws {
        var saved = hit(1, "s", body: "New", fields: ["list", "title"])
        saved.subscription.notificationInfo.appearance.title = AlertText(
            localizationKey: "T", localizationArgs: [FieldName(trusted: "title")])
        saved.subscription.notificationInfo.appearance.soundName = "default"
        let entry = try #require(
            try make([saved], change(["title": .string("Mona Lisa"), "list": .stringList(["x"])])).first)
        let hit = try #require(hits(entry).first)
        #expect(hit.alertBody == "New" && hit.appearance?.titleLocalizationArgs == ["Mona Lisa"])
        #expect(hit.appearance?.titleLocalizationKey == "T" && hit.appearance?.soundName == "default")
        #expect(hit.fields.map(\.name) == ["title"], "lists are not carried")
    }

    /// The largest that one subscription and one record can make fits into a message.
    @Test func theLargestHitFits() throws {
        let names = ["a", "b", "c"].map { FieldName(trusted: $0) }
        let wide = String(repeating: "\u{10FFFF}", count: Limits.alertCharactersMax)
        let text = AlertText(
            wide, localizationKey: wide,
            localizationArgs: (0..<Limits.localizationArgsMax).map { names[$0 % 3] })
        var saved = hit(1, "s", fields: ["a", "b", "c"])
        saved.subscription.notificationInfo.appearance = Appearance(
            alert: text, title: text, subtitle: text, actionLocalizationKey: wide, launchImage: wide, soundName: wide,
            category: wide, collapseID: "a")
        let third = String(repeating: "\u{10FFFF}", count: Limits.recordBytesMax / 12)
        let entries = try make([saved], change(["a": .string(third), "b": .string(third), "c": .string(third)]))
        #expect(entries.count == 1 && entries[0].encoded().count < Limits.messageBytesMax * 3 / 4)
    }

    /// A deletion carries the fields of the deleted record.
    @Test func aDeletionCarriesTheLastValues() throws {
        var change = change(["title": .string("Mona Lisa")])
        change.kind = .deleted
        change.before = change.after
        change.after = nil
        let entry = try #require(try make([hit(1, "s", fields: ["title"])], change).first)
        #expect(hits(entry).first?.fields.map(\.name) == ["title"])
    }

    @Test func noHitsMakeNoEntries() throws { #expect(try make([]).isEmpty) }

    /// A zone's creation or deletion has no record, and the kinds of subscriptions stay apart.
    @Test func aChangeOfAZoneCarriesTheZone() throws {
        var saved = hit(1, "d", fields: ["title"])
        saved.subscription.condition = .database()
        var change = change()
        change.after = nil
        change.zone = ZoneID(name: ZoneName(trusted: "z"), owner: SubscriptionHistory.users[0])
        let entry = try #require(try make([saved], change).first)
        guard case .hits(let message)? = entry.event else { throw MalformedMessage("no hits") }
        #expect(message.zone?.name == "z" && message.recordName.isEmpty && message.recordType.isEmpty)
        #expect(message.hits.map(\.kind) == [3] && message.hits[0].fields.isEmpty)
        #expect(hits(try #require(try make([hit(1, "q")]).first)).map(\.kind) == [0])
    }
}
