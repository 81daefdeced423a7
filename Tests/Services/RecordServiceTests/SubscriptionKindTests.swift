import CloudMessages
import CloudModel
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Zone and database subscriptions, and our additions to query subscriptions (stories S2, S4;
/// docs/cloudkit.md#subscriptions; docs/choices.md, 3 and 4).
@Suite struct SubscriptionKindTests {
    private static let info = NotificationInfo(alertBody: "changed")

    private func id(_ text: String) -> SubscriptionID { SubscriptionID(trusted: text) }

    private func zone(_ id: String, _ zone: GivenZone?, type: String? = nil) -> SubscriptionDraft {
        .zone(
            id: self.id(id), zone: zone, recordType: type.map { RecordType(trusted: $0) }, notificationInfo: Self.info)
    }

    private func database(_ id: String, type: String? = nil) -> SubscriptionDraft {
        .database(id: self.id(id), recordType: type.map { RecordType(trusted: $0) }, notificationInfo: Self.info)
    }

    @Test func eachKindHasItsDatabases() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        let allowed: [(SubscriptionDraft, [DatabaseScope])] = [
            (.draft("q"), [.public, .private]), (zone("z", "a"), [.private]), (database("d"), [.private, .shared]),
        ]
        for (draft, databases) in allowed {
            for scope in DatabaseScope.allCases {
                let outcome = try await rig.apply(.create(draft), in: scope)
                #expect((outcome.subscription != nil) == databases.contains(scope), "\(draft.kind) in \(scope)")
                if !databases.contains(scope) {
                    #expect(outcome.code == .badRequest && outcome.error?.reason.contains("allowed") == true)
                }
            }
        }
        let listed = try await rig.service.listSubscriptions(in: .private, for: rig.alice)
        #expect(Set(listed.map(\.condition.kind)) == [.query, .zone, .database])
        #expect(listed.first { $0.condition.kind == .zone }?.condition.zone?.rawValue == "a")
    }

    @Test func aZoneSubscriptionNeedsACustomZoneThatIsThere() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        let theirs = GivenZone(name: ZoneName(trusted: "a"), owner: rig.bob.user)
        #expect(try await rig.apply(.create(zone("z", nil)), in: .private).code == .badRequest)
        #expect(try await rig.apply(.create(zone("z", .default)), in: .private).code == .badRequest)
        #expect(try await rig.apply(.create(zone("z", "b")), in: .private).code == .zoneNotFound)
        #expect(try await rig.apply(.create(zone("z", theirs)), in: .private).code == .zoneNotFound)
        let own = GivenZone(name: ZoneName(trusted: "a"), owner: rig.alice.user)
        #expect(try await rig.apply(.create(zone("z", own)), in: .private).subscription != nil)
        var bare = database("d")
        bare.notificationInfo = nil
        #expect(try await rig.apply(.create(bare), in: .private).code == .badRequest)
        var fields = zone("f", "a")
        fields.notificationInfo = NotificationInfo(additionalFields: [FieldName(trusted: "n")])
        #expect(try await rig.apply(.create(fields), in: .private).code == .badRequest)
    }

    /// S3 holds for all kinds: harmless re-saves, updates of the notification only, no two with one condition.
    @Test func allKindsAreSavedAlike() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        for (name, make) in [
            ("z", { (id: String, type: String?) in zone(id, "a", type: type) }), ("d", { database($0, type: $1) }),
        ] as [(String, (String, String?) -> SubscriptionDraft)] {
            let first = try await rig.apply(.create(make(name, nil)), in: .private).subscription
            #expect(try await rig.apply(.create(make(name, nil)), in: .private).subscription == first)
            let double = try await rig.apply(.create(make("double", nil)), in: .private)
            #expect(double.code == .badRequest && double.error?.reason.contains("'\(name)'") == true)
            #expect(try await rig.apply(.update(make(name, "T")), in: .private).code == .badRequest)
            #expect(try await rig.apply(.create(make("\(name)-typed", "T")), in: .private).subscription != nil)
            var other = make(name, nil)
            other.notificationInfo = NotificationInfo(alertBody: "other")
            #expect(
                try await rig.apply(.update(other), in: .private).subscription?.notificationInfo.alertBody == "other")
            #expect(try await rig.apply(.delete(id(name)), in: .private).deleted == id(name))
        }
    }

    /// Production knows no condition of them, only types.
    @Test func productionTakesZoneAndDatabaseSubscriptionsWithoutPromotion() async throws {
        let rig = try await RecordServiceRig(.production)
        _ = try await rig.zone(.create, "a")
        #expect(try await rig.apply(.create(zone("z", "a")), in: .private).subscription != nil)
        #expect(try await rig.apply(.create(database("d")), in: .private).subscription != nil)
        #expect(try await rig.apply(.create(database("t", type: "T")), in: .private).code == .badRequest)
    }

    /// docs/choices.md, 4: a query subscription may name a custom zone, too.
    @Test func aQueryMayBeLimitedToACustomZone() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "a")
        let draft = SubscriptionDraft.draft("q", zone: ZoneName(trusted: "a"))
        #expect(try await rig.apply(.create(draft), in: .private).subscription?.condition.zone?.rawValue == "a")
        #expect(try await rig.apply(.create(draft), in: .public).code == .zoneNotFound)
    }

    /// What watches a zone alone goes with it: a zone that is made again is another.
    @Test func deletingAZoneDeletesItsSubscriptions() async throws {
        let rig = try await RecordServiceRig()
        for name in ["a", "b"] as [GivenZone] { _ = try await rig.zone(.create, name) }
        for draft in [
            zone("za", "a"), zone("zb", "b"), database("d"), .draft("qa", zone: ZoneName(trusted: "a")), .draft("q"),
        ] { _ = try await rig.apply(.create(draft), in: .private) }
        _ = try await rig.zone(.delete, "a")
        let left = try await rig.service.listSubscriptions(in: .private, for: rig.alice).map(\.key.id.rawValue)
        #expect(left == ["d", "q", "zb"])
        // After the zone's deletion in the commit order, so that it still fires on earlier changes.
        let gone = try #require(try await rig.changes().last)
        let deletions = try await rig.outbox().filter { $0.destination == .subscriptions }.compactMap { row in
            try SubscriptionEvent(decoding: row.value!).saved() == nil ? row.sequence : nil
        }
        #expect(gone.zone?.name.rawValue == "a" && deletions.count == 2 && deletions.allSatisfy { $0 > gone.sequence })
    }

    /// docs/choices.md, 19.
    @Test func oneSubscriptionTwiceInARequestIsRefused() async throws {
        let rig = try await RecordServiceRig()
        await expect(code: .badRequest) {
            try await rig.service.modifySubscriptions(
                [.create(.draft("s")), .delete(id("s"))], in: .public, for: rig.alice)
        }
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).isEmpty)
    }

    @Test func changedKeysAreFieldsAndBelongToUpdates() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["n": .int64(1), "m": .int64(1)]))
        func draft(_ id: String, _ keys: [String], _ events: FiringEvents = .update) -> SubscriptionDraft {
            var draft = SubscriptionDraft.draft(id, firesOn: events)
            draft.changedKeys = keys.map { FieldName(trusted: $0) }
            return draft
        }
        #expect(try await rig.apply(.create(draft("a", ["n"], [.create, .enter]))).code == .badRequest)
        #expect(try await rig.apply(.create(draft("b", ["unknown"]))).code == .badRequest)
        #expect(try await rig.apply(.create(draft("c", (0...20).map { "k\($0)" }))).code == .badRequest)
        let saved = try await rig.apply(.create(draft("d", ["n", "m", "n"])))
        #expect(saved.subscription?.condition.changedKeys.map(\.rawValue) == ["m", "n"])
        // Their order and repetition say nothing; which they are does.
        #expect(try await rig.apply(.create(draft("e", ["m", "n"]))).code == .badRequest)
        #expect(try await rig.apply(.create(draft("f", ["m"]))).subscription != nil)
        #expect(try await rig.apply(.create(draft("g", []))).subscription != nil)
        let schema = try await rig.service.schema()
        #expect(schema.conditions.contains { $0.text == "TRUEPREDICATE ON update CHANGED m, n" })
    }

    @Test func aPredicateThatCostsTooMuchIsRefused() async throws {
        let rig = try await RecordServiceRig()
        // Each list costs 2 and 125 for its thousand values.
        let filters = (0..<Limits.filtersMax).map { index in
            GivenFilter(
                field: .field(FieldName(trusted: "n\(index)")), comparator: .in,
                operand: .values((0..<1000).map { .int64($0) }, of: .int64))
        }
        #expect(try await rig.apply(.create(.draft("most", Array(filters.prefix(78))))).subscription != nil)
        let outcome = try await rig.apply(.create(.draft("s", filters)))
        #expect(outcome.code == .badRequest && outcome.error?.reason.contains("12700") == true)
    }

    // MARK: Tests

    @Test func aTestReturnsMatchesAndSavesNothing() async throws {
        let rig = try await RecordServiceRig()
        for number in 0..<10 { _ = try await rig.apply(.on("r\(number)", .create, ["n": .int64(Int64(number))])) }
        _ = try await rig.apply(.on("r9", .forceUpdate, ["n": .int64(1)]))
        _ = try await rig.apply(.on("mine", .create, ["n": .int64(9)]), in: .private, as: rig.bob)
        let before = try await rig.lastSequence()
        let filter = GivenFilter.field("n", .greaterThan, .int64(6))
        let test = try #require(try await rig.apply(.test(.draft(nil, [filter], firesOn: [.create, .leave]))).test)
        #expect(test.matched.compactMap(\.matched?.name.rawValue) == ["r7", "r8", "r9", "r9"])
        #expect(test.examined == 11 && test.predicateCost == 1)
        #expect(try await rig.lastSequence() == before)
        #expect(try await rig.service.listSubscriptions(in: .public, for: rig.alice).isEmpty)
        #expect(try await rig.service.schema().conditions.isEmpty)
        // What others have in their databases is not even counted.
        let secret = try await rig.apply(.test(.draft(nil, [filter])), in: .private).test
        #expect(secret?.examined == 0 && secret?.matched.isEmpty == true)
        #expect(try await rig.apply(.test(.draft("s", firesOn: []))).code == .badRequest)
        // A saved subscription can be tested, and its ID is free for it.
        _ = try await rig.apply(.create(.draft("s", [filter])))
        #expect(try await rig.apply(.test(.draft("s", [filter]))).test?.matched.count == 3)
    }

    /// From the log, too: all partitions, however they are cut, the latest changes only, each once.
    @Test func aTestReadsTheLatestChangesOfTheLog() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let total = Limits.testChangesMax + 300
            for start in stride(from: 0, to: total, by: 100) {
                _ = try await system.service.modifyRecords(
                    (start..<start + 100).map { .on("r\($0)", .create, ["n": .int64(Int64($0))]) }, in: .public,
                    for: alice)
            }
            try await eventually("the relay") {
                try await system.service.store.read { try $0.outbox(after: .zero, limit: 1, bytesMax: .max).isEmpty }
            }
            let filter = GivenFilter.field("n", .lessThan, .int64(305))
            let results = try await system.service.modifySubscriptions(
                [.test(.draft(nil, [filter]))], in: .public, for: alice)
            let test = try #require(SubscriptionOutcome(results[0]).test)
            #expect(test.examined == Limits.testChangesMax)
            #expect(test.matched.compactMap(\.matched?.name.rawValue) == (300..<305).map { "r\($0)" })
            await system.stop()
        }
    }
}
