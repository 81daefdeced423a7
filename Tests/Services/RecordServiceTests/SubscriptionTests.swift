import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Saving, listing, updating and deleting subscriptions (stories S1, S3, S4; docs/cloudkit.md#subscriptions;
/// docs/choices.md, 4, 5, 13, 14).
@Suite struct SubscriptionTests {
    private func id(_ text: String) -> SubscriptionID { SubscriptionID(trusted: text) }

    private func rows(_ rig: RecordServiceRig) async throws -> [SubscriptionEvent] {
        try await rig.outbox().filter { $0.destination == .subscriptions && $0.value != nil }.map {
            try SubscriptionEvent(decoding: $0.value!)
        }
    }

    @Test func savedSubscriptionsAreListedLookedUpAndDeleted() async throws {
        let rig = try await RecordServiceRig()
        let filter = GivenFilter.field("n", .greaterThan, .int64(5))
        let results = try await rig.service.modifySubscriptions(
            [
                .create(.draft("b", [filter])), .create(.draft("a", firesOnce: true)),
                .create(.draft(nil, firesOn: .create)),
            ], in: .public, for: rig.alice)
        let saved = results.compactMap { SubscriptionOutcome($0).subscription }
        #expect(saved.count == 3 && saved[2].key.id.rawValue.utf8.count == 36)
        let listed = try await rig.service.listSubscriptions(in: .public, for: rig.alice)
        #expect(Set(listed) == Set(saved))
        let found = try await rig.service.lookUpSubscriptions(
            [id("a"), id("x"), id("b")], in: .public, for: rig.alice)
        #expect(found.map { SubscriptionOutcome($0).subscription } == [saved[1], nil, saved[0]])
        #expect(found.map { SubscriptionOutcome($0).code } == [nil, .notFound, nil])
        #expect(try await rig.apply(.delete(id("b"))).deleted == id("b"))
        #expect(try await rig.apply(.delete(id("b"))).code == .notFound)
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).count == 2)
    }

    /// A subscription is its owner's only: nobody else sees, changes or counts it.
    @Test func othersSubscriptionsAreInvisible() async throws {
        let rig = try await RecordServiceRig(subscriptionsMax: 1)
        _ = try await rig.apply(.create(.draft("s")))
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.bob).isEmpty)
        #expect(try await rig.service.listSubscriptions(in: .private, for: rig.alice).isEmpty)
        #expect(try await rig.apply(.delete(id("s")), as: rig.bob).code == .notFound)
        #expect(try await rig.apply(.update(.draft("s")), as: rig.bob).code == .notFound)
        #expect(try await rig.apply(.create(.draft("s")), as: rig.bob).subscription != nil)
        #expect(try await rig.apply(.create(.draft("s")), in: .private).subscription != nil)
        await expect(code: .authenticationRequired) {
            try await rig.service.listSubscriptions(in: .public, for: Caller(user: nil))
        }
    }

    /// Saving the same again is harmless, with `create` and with `update`: clients do it on every launch.
    @Test func savingTheSameAgainChangesNothing() async throws {
        let rig = try await RecordServiceRig()
        let draft = SubscriptionDraft.draft("s", [.field("n", .equals, .string("Straße"))])
        let first = try await rig.apply(.create(draft))
        let sequence = try await rig.lastSequence()
        for operation in [SubscriptionOperation.create(draft), .update(draft)] {
            #expect(try await rig.apply(operation).subscription == first.subscription)
        }
        #expect(try await rig.lastSequence() == sequence)
        #expect(try await rows(rig).count == 1)
    }

    /// A subscription may come before the first record of its type (docs/choices.md, 13); the type that the schema then
    /// gives the field must not turn the same request into another condition.
    @Test(arguments: [FieldValue.double(0.5), .timestamp(Timestamp(milliseconds: 1))])
    func savingTheSameAgainIsHarmlessOnceTheFieldHasItsType(value: FieldValue) async throws {
        let rig = try await RecordServiceRig()
        let draft = SubscriptionDraft.draft("s", [.field("n", .greaterThan, .int64(5))])
        let first = try await rig.apply(.create(draft)).subscription
        _ = try await rig.apply(.on("r", .create, ["n": value], isTypeExplicit: true))
        #expect(try await rig.apply(.create(draft)).subscription == first)
        var updated = draft
        updated.notificationInfo = NotificationInfo(alertBody: "other")
        #expect(try await rig.apply(.update(updated)).subscription?.notificationInfo.alertBody == "other")
        // Under another ID it is a duplicate all the same.
        updated.id = id("t")
        #expect(try await rig.apply(.create(updated)).code == .badRequest)
    }

    /// docs/choices.md, 5: `update` changes `notificationInfo` only and keeps the creation.
    @Test func anUpdateChangesTheNotificationOnly() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.create(.draft("s", firesOnce: true)))
        let other = NotificationInfo(
            alertBody: nil, additionalFields: [FieldName(trusted: "a")], shouldBadge: true)
        for operation in [
            SubscriptionOperation.update(.draft("s", firesOnce: true, info: other)),
            .create(.draft("s", firesOnce: true, info: NotificationInfo(alertBody: "again"))),
        ] {
            #expect(try await rig.apply(operation).error == nil)
        }
        let events = try await rows(rig)
        #expect(try events.map { try $0.sequence().rawValue } == [1, 2, 4])
        #expect(events.map(\.created) == [1, 1, 1])
        #expect(events[1].notificationInfo?.shouldBadge == true)
        for draft in [
            SubscriptionDraft.draft("s"), .draft("s", firesOn: .create, firesOnce: true),
            .draft("s", type: "U", firesOnce: true),
            .draft("s", zone: .defaultZone, firesOnce: true),
            .draft("s", [.field("n", .equals, .int64(1))], firesOnce: true),
        ] {
            let outcome = try await rig.apply(.update(draft))
            #expect(outcome.code == .badRequest && outcome.error?.reason.contains("condition") == true)
            #expect(try await rig.apply(.create(draft)).code == .badRequest)
        }
        #expect(try await rig.apply(.update(.draft("x"))).code == .notFound)
        #expect(try await rig.apply(.update(.draft(nil))).code == .badRequest)
    }

    /// A condition equal to another's is refused, and the reason names that one.
    @Test func aDuplicateConditionIsRefused() async throws {
        let rig = try await RecordServiceRig()
        let filter = GivenFilter.field("n", .equals, .string("x"))
        _ = try await rig.apply(.create(.draft("first", [filter])))
        let outcome = try await rig.apply(.create(.draft("second", [filter], info: NotificationInfo(alertBody: "o"))))
        #expect(outcome.code == .badRequest && outcome.error?.reason.contains("'first'") == true)
        // Another firesOn, zone, value or firesOnce is another condition.
        let others: [SubscriptionDraft] = [
            .draft("a", [filter], firesOn: [.create, .update]), .draft("b", [filter], zone: .defaultZone),
            .draft("c", [.field("n", .equals, .string("y"))]), .draft("d", [filter], firesOnce: true),
            .draft("e", [.field("n", .equals, .string("X"))]),
        ]
        for draft in others { #expect(try await rig.apply(.create(draft)).subscription != nil) }
        // A deleted one blocks nobody.
        _ = try await rig.apply(.delete(id("first")))
        #expect(try await rig.apply(.create(.draft("second", [filter]))).subscription != nil)
    }

    /// Matching distinguishes composed and decomposed letters (docs/choices.md, 23), so they make another condition,
    /// though Swift's strings are equal.
    @Test func conditionsAreComparedByTheirBytes() async throws {
        let rig = try await RecordServiceRig()
        let composed = SubscriptionDraft.draft("s", [.field("n", .equals, .string("\u{E9}"))])
        let decomposed = SubscriptionDraft.draft("s", [.field("n", .equals, .string("e\u{301}"))])
        _ = try await rig.apply(.create(composed))
        #expect(try await rig.apply(.create(decomposed)).code == .badRequest)
        var changed = composed
        changed.notificationInfo = NotificationInfo(alertBody: "e\u{301}")
        _ = try await rig.apply(.update(changed))
        changed.notificationInfo = NotificationInfo(alertBody: "\u{E9}")
        _ = try await rig.apply(.update(changed))
        let stored = try await rig.service.listSubscriptions(in: .public, for: rig.alice)
        #expect(stored[0].notificationInfo.alertBody?.unicodeScalars.count == 1)
    }

    @Test func invalidSubscriptionsFailPerItem() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["n": .int64(1), "l": .stringList(["x"])]))
        let drafts: [(SubscriptionDraft, CloudErrorCode)] = [
            (.draft("a", info: nil), .badRequest), (.draft("b", firesOn: []), .badRequest),
            (.draft("c", zone: ZoneName(trusted: "other")), .zoneNotFound),
            (.draft("d", [.field("n", .beginsWith, .string("x"))]), .badRequest),
            (.draft("e", [.field("n", .equals, .string("x"))]), .badRequest),
            (.draft("f", [.field("unknown", .equals, .int64(1))]), .badRequest),
            (.draft("g", [.field("n", .in, .int64(1))]), .badRequest),
            (.draft("h", [.field("l", .equals, .stringList(["x"]))]), .badRequest),
            (.draft("i", Array(repeating: .field("n", .equals, .int64(1)), count: 101)), .badRequest),
        ]
        let results = try await rig.service.modifySubscriptions(
            drafts.map { .create($0.0) } + [.create(.draft("ok"))], in: .public, for: rig.alice)
        #expect(results.map { SubscriptionOutcome($0).code } == drafts.map(\.1) + [nil])
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).map(\.key.id) == [id("ok")])
        #expect(try await rows(rig).count == 1)
        // Query subscriptions are not for the shared database (S4).
        #expect(try await rig.apply(.create(.draft("s")), in: .shared).code == .badRequest)
        await expect(code: .quotaExceeded) {
            try await rig.service.modifySubscriptions(
                (0..<201).map { .delete(id("\($0)")) }, in: .public, for: rig.alice)
        }
    }

    /// docs/choices.md, 14: the refusal names the limit.
    @Test func theLimitIsNamed() async throws {
        let rig = try await RecordServiceRig(subscriptionsMax: 3)
        func draft(_ number: Int64) -> SubscriptionDraft {
            .draft("s\(number)", [.field("n", .equals, .int64(number))])
        }
        let results = try await rig.service.modifySubscriptions(
            (1...5).map { .create(draft($0)) }, in: .public, for: rig.alice)
        #expect(results.map { SubscriptionOutcome($0).code } == [nil, nil, nil, .quotaExceeded, .quotaExceeded])
        #expect(SubscriptionOutcome(results[3]).error?.reason.contains(" 3 ") == true)
        // Saving one of them again, and updating it, is no new one; deleting one makes room.
        #expect(try await rig.apply(.create(draft(1))).subscription != nil)
        _ = try await rig.apply(.delete(id("s1")))
        #expect(try await rig.apply(.create(draft(4))).subscription != nil)
    }

    @Test func productionTakesKnownTypesAndFieldsOnly() async throws {
        let rig = try await RecordServiceRig(.production)
        let known = GivenFilter.field("n", .equals, .int64(1))
        #expect(try await rig.apply(.create(.draft("s", [known]))).code == .badRequest)
        try await rig.service.store.write { transaction in
            try transaction.define(RecordType(trusted: "T"))
            try transaction.define(FieldName(trusted: "n"), as: .int64, in: RecordType(trusted: "T"))
            try transaction.setIndexes(.queryable, of: .field(FieldName(trusted: "n")), in: RecordType(trusted: "T"))
            for text in ["n EQUALS[c]", "TRUEPREDICATE"] {
                try transaction.addCondition(
                    ConditionShape(recordType: RecordType(trusted: "T"), text: "\(text) ON create, update, delete"))
            }
        }
        #expect(try await rig.apply(.create(.draft("s", [known]))).subscription != nil)
        #expect(try await rig.apply(.create(.draft("t", [.field("m", .equals, .int64(1))]))).code == .badRequest)
        // docs/cloudkit.md#refused-subscriptions: additional fields that production's schema lacks are refused too.
        func info(_ field: String) -> NotificationInfo {
            NotificationInfo(additionalFields: [FieldName(trusted: field)])
        }
        #expect(try await rig.apply(.create(.draft("u", info: info("m")))).code == .badRequest)
        #expect(try await rig.apply(.create(.draft("u", info: info("n")))).subscription != nil)
    }

    /// docs/cloudkit.md#notificationinfo: no lists among the additional fields.
    @Test func additionalFieldsAreNoLists() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["l": .stringList(["x"])]))
        let info = NotificationInfo(additionalFields: [FieldName(trusted: "l")])
        #expect(try await rig.apply(.create(.draft("s", info: info))).code == .badRequest)
        // In development a field may come later.
        let later = NotificationInfo(additionalFields: [FieldName(trusted: "later")])
        #expect(try await rig.apply(.create(.draft("s", info: later))).subscription != nil)
    }

    /// What would not fit into a message is refused at save (docs/delivery.md): it would stop the relay for everybody.
    @Test func aSubscriptionThatNoMessageHoldsIsRefused() async throws {
        let rig = try await RecordServiceRig()
        let huge = String(repeating: "x", count: 5 << 20)
        // One character to people, and millions of bytes.
        let stacked = "a" + String(repeating: "\u{301}", count: 3 << 20)
        let drafts: [SubscriptionDraft] = [
            .draft("a", [.field("n", .equals, .string(huge))]), .draft("b", info: NotificationInfo(alertBody: huge)),
            .draft("c", type: "U", info: NotificationInfo(alertBody: stacked)),
        ]
        for draft in drafts {
            let outcome = try await rig.apply(.create(draft))
            #expect(outcome.code == .quotaExceeded || outcome.code == .badRequest)
        }
        #expect(try await rig.outbox().isEmpty)
        // A thousand values of a long list fit.
        let values = (0..<1000).map { FieldValue.string(String(repeating: "y", count: 255) + "\($0)") }
        let filter = GivenFilter(
            field: .field(FieldName(trusted: "n")), comparator: .in, operand: .values(values, of: .string))
        #expect(try await rig.apply(.create(.draft("ok", [filter]))).subscription != nil)
    }

    /// All of a user's subscriptions in a database share a bound in bytes; deletions make room.
    @Test func allSubscriptionsOfAUserAreBoundedInBytes() async throws {
        let rig = try await RecordServiceRig(subscriptionsMax: 128)
        // 255 KB each: eight fit into 128 times 16 KiB.
        let values = (0..<1000).map { FieldValue.string(String(repeating: "y", count: 247) + "\($0)") }
        func draft(_ number: Int) -> SubscriptionDraft {
            .draft(
                "s\(number)",
                [
                    GivenFilter(
                        field: .field(FieldName(trusted: "n\(number)")), comparator: .in,
                        operand: .values(values, of: .string))
                ])
        }
        for number in 0..<8 { #expect(try await rig.apply(.create(draft(number))).subscription != nil) }
        let refused = try await rig.apply(.create(draft(8)))
        #expect(refused.code == .quotaExceeded && refused.error?.reason.contains("2097152") == true)
        // Others are not affected, and neither is saving the stored value again.
        #expect(try await rig.apply(.create(draft(8)), as: rig.bob).subscription != nil)
        #expect(try await rig.apply(.create(draft(3))).subscription != nil)
        var longer = draft(3)
        longer.notificationInfo = NotificationInfo(alertBody: String(repeating: "a", count: 4096))
        #expect(try await rig.apply(.update(longer)).subscription != nil)
        _ = try await rig.apply(.delete(SubscriptionID(trusted: "s1")))
        #expect(try await rig.apply(.create(draft(8))).subscription != nil)
    }

    // MARK: Fired once

    /// `models/once.pml`: the command names the creation and does nothing when it differs.
    @Test func aFiredSubscriptionIsDeletedUnlessRecreated() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.create(.draft("s", firesOnce: true)))
        _ = try await rig.apply(.update(.draft("s", firesOnce: true, info: NotificationInfo(alertBody: "2"))))
        let key = SubscriptionKey(user: rig.alice.user!, database: .public, id: id("s"))
        func fired(_ created: Int64) async throws {
            try await rig.service.deleteFiredSubscription(key, created: CommitSequence(created)) { _ in }
        }
        // The version that fired does not name it; its creation does, after any updates.
        try await fired(2)
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).count == 1)
        try await fired(1)
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).isEmpty)
        let sequence = try await rig.lastSequence()
        try await fired(1)
        #expect(try await rig.lastSequence() == sequence)
        _ = try await rig.apply(.create(.draft("s", firesOnce: true)))
        try await fired(1)
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).count == 1)
        let last = try #require(try await rows(rig).first { $0.condition == nil })
        #expect(last.created == 1 && last.id == "s")
    }

    // MARK: Superseded versions

    /// A version becomes a tombstone once no retained change is older than what superseded it, and not before.
    @Test func supersededVersionsBecomeTombstonesAfterTheRetentionOfChanges() async throws {
        let rig = try await RecordServiceRig()
        let retention = Duration.milliseconds(rig.service.layout.retention.changes)
        func tombstones() async throws -> [[UInt8]] {
            try await rig.service.removeSupersededSubscriptions()
            return try await rig.outbox().filter { $0.value == nil }.map(\.key)
        }
        func key(_ sequence: Int64) -> [UInt8] {
            rig.service.layout.subscriptionKey(
                SubscriptionKey(user: rig.alice.user!, database: .public, id: id("s")), CommitSequence(sequence))
        }
        _ = try await rig.apply(.create(.draft("s")))
        rig.move(by: retention * 2)
        // However old: a version that is in effect stays.
        #expect(try await tombstones().isEmpty)
        _ = try await rig.apply(.touch("r"))
        _ = try await rig.apply(.update(.draft("s", info: NotificationInfo(alertBody: "2"))))
        rig.move(by: retention)
        #expect(try await tombstones().isEmpty)
        rig.move(by: .seconds(1))
        #expect(try await tombstones() == [key(1)])
        #expect(try await tombstones() == [key(1)])
        _ = try await rig.apply(.touch("r"))
        _ = try await rig.apply(.delete(id("s")))
        rig.move(by: retention + .seconds(1))
        // The version first, its deletion after it: in between nobody may take it for one that is in effect.
        let all = try await tombstones()
        #expect(all == [key(1), key(3), key(6)])
        let outbox = try await rig.outbox()
        #expect(outbox.map(\.sequence.rawValue) == Array(1...Int64(outbox.count)))
        // A change waits for a tombstone too: an entry before it says its sequence.
        _ = try await rig.apply(.touch("r"))
        let last = outbox.last { $0.destination == .subscriptions }
        #expect(try await rig.changes().last?.lastSubscription == last?.sequence)
    }
}
