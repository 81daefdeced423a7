import CloudModel
import Matching
import Testing

/// What zone and database subscriptions fire on, and what ours add to query subscriptions: `changedKeys`, `enter`,
/// `leave`.
@Suite struct SubscriptionKindTests {
    private static let zone = ZoneID(name: ZoneName(trusted: "z"), owner: Fixtures.alice)
    private static let other = ZoneID(name: ZoneName(trusted: "y"), owner: Fixtures.alice)
    private static let home = ZoneID(name: .defaultZone, owner: Fixtures.alice)
    private static let artwork = RecordType(trusted: "Artwork")

    private func subscription(
        _ condition: Subscription.Condition, in database: DatabaseScope = .private,
        of user: UserRecordName = Fixtures.alice
    ) -> Subscription {
        Subscription(
            key: SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: "s")),
            condition: condition, notificationInfo: NotificationInfo())
    }

    private func change(
        _ before: Record?, _ after: Record?, in database: DatabaseScope = .private, zone: ZoneID? = nil,
        participants: [UserRecordName] = [], kind: Change.Kind? = nil
    ) -> Change {
        Change(
            sequence: CommitSequence(1), lastSubscription: .zero, database: database,
            kind: kind ?? (before == nil ? .created : after == nil ? .deleted : .updated), before: before, after: after,
            committed: Timestamp(milliseconds: 1), origin: Origin(user: Fixtures.bob, device: nil, epoch: nil),
            zone: zone, participants: participants)
    }

    private func record(
        _ fields: [String: FieldValue] = [:], type: String = "Artwork", zone: ZoneID = zone
    ) -> Record { Fixtures.record(fields, type: type, zone: zone) }

    @Test func aZoneSubscriptionFiresOnEveryRecordOfItsZone() {
        let watching = subscription(.zone(Self.zone.name))
        for (before, after) in [(nil, record()), (record(), record()), (record(), nil)] {
            #expect(watching.fires(on: change(before, after)))
        }
        #expect(watching.fires(on: change(nil, record(type: "Other"))))
        #expect(!watching.fires(on: change(nil, record(zone: Self.other))))
        #expect(!watching.fires(on: change(nil, record(zone: ZoneID(name: Self.zone.name, owner: Fixtures.bob)))))
        #expect(!watching.fires(on: change(nil, nil, zone: Self.zone, kind: .created)))
        let restricted = subscription(.zone(Self.zone.name, recordType: Self.artwork))
        #expect(restricted.fires(on: change(nil, record())))
        #expect(!restricted.fires(on: change(nil, record(type: "Other"))))
    }

    /// docs/choices.md, 3: custom zones only, and their creation and deletion; the default zone takes no part.
    @Test func aDatabaseSubscriptionFiresOnCustomZones() {
        let watching = subscription(.database())
        for zone in [Self.zone, Self.other] {
            #expect(watching.fires(on: change(nil, record(zone: zone))))
            #expect(watching.fires(on: change(nil, nil, zone: zone, kind: .created)))
            #expect(watching.fires(on: change(nil, nil, zone: zone, kind: .deleted)))
        }
        #expect(!watching.fires(on: change(nil, record(zone: Self.home))))
        #expect(!subscription(.database(), of: Fixtures.bob).fires(on: change(nil, record())))
        let restricted = subscription(.database(recordType: Self.artwork))
        #expect(restricted.fires(on: change(nil, record())))
        #expect(!restricted.fires(on: change(nil, record(type: "Other"))))
        #expect(!restricted.fires(on: change(nil, nil, zone: Self.zone, kind: .created)))
    }

    /// R4 and G8: in the shared database a change fires for the users that it names, and for nobody else.
    @Test func theSharedDatabaseIsItsParticipants() {
        let shared = change(nil, record(), in: .shared, participants: [Fixtures.bob])
        let gone = change(nil, nil, in: .shared, zone: Self.zone, participants: [Fixtures.bob], kind: .deleted)
        for event in [shared, gone] {
            #expect(subscription(.database(), in: .shared, of: Fixtures.bob).fires(on: event))
            #expect(!subscription(.database(), in: .shared, of: Fixtures.alice).fires(on: event))
            #expect(!subscription(.database(), in: .private, of: Fixtures.bob).fires(on: event))
        }
        #expect(!subscription(.database(), in: .shared, of: Fixtures.bob).fires(on: change(nil, record())))
    }

    private func query(_ events: FiringEvents, above number: Int64 = 5, changedKeys: [String] = []) -> Subscription {
        let filter = Filter(
            field: .field(FieldName(trusted: "n")), comparator: .greaterThan, operand: .value(.int64(number)))
        return subscription(
            Subscription.Condition(
                query: Query(recordType: Self.artwork, filters: [filter]), zone: nil, firesOn: events,
                firesOnce: false, changedKeys: changedKeys.map { FieldName(trusted: $0) }))
    }

    /// Of a record's life: created outside, comes in, changes inside, goes out, comes in, is deleted.
    @Test func enterAndLeaveAreTheBordersOfAQuery() {
        let states: [Int64?] = [nil, 1, 9, 8, 2, 7, nil, 6]
        let versions = states.map { $0.map { record(["n": .int64($0)]) } }
        let changes = zip(versions, versions.dropFirst()).map { change($0, $1) }
        func fired(_ events: FiringEvents) -> [Bool] { changes.map { query(events).fires(on: $0) } }
        #expect(fired(.enter) == [false, true, false, false, true, false, true])
        #expect(fired(.leave) == [false, false, false, true, false, true, false])
        #expect(fired([.enter, .leave]) == [false, true, false, true, true, true, true])
        #expect(fired(.update) == [false, true, true, false, true, false, false])
        #expect(fired([.create, .leave]) == [false, false, false, true, false, true, true])
    }

    @Test func changedKeysRestrictUpdatesOnly() {
        let watching = query([.create, .update, .delete, .leave], changedKeys: ["t"])
        func version(_ number: Int64, _ text: String?, _ more: Int64 = 0) -> Record {
            var fields: [String: FieldValue] = ["n": .int64(number), "more": .int64(more)]
            if let text { fields["t"] = .string(text) }
            return record(fields)
        }
        #expect(watching.fires(on: change(version(9, "a"), version(9, "b"))))
        #expect(watching.fires(on: change(version(9, nil), version(9, "b"))))
        #expect(watching.fires(on: change(version(9, "a"), version(9, nil))))
        #expect(!watching.fires(on: change(version(9, "a"), version(8, "a", 5))))
        #expect(!watching.fires(on: change(version(1, "a"), version(1, "b"))))
        #expect(watching.fires(on: change(nil, version(9, "a"))))
        #expect(watching.fires(on: change(version(9, "a"), nil)))
        // It leaves the query, whatever changed.
        #expect(watching.fires(on: change(version(9, "a"), version(1, "a"))))
    }

    /// Swift takes composed and decomposed letters for the same, and 0.0 for -0.0; a changed field is one whose bytes
    /// changed.
    @Test(
        arguments: [
            (.string("\u{E9}"), .string("e\u{301}"), true), (.double(0), .double(-0.0), true),
            (.double(.nan), .double(.nan), false), (.stringList(["\u{E9}"]), .stringList(["e\u{301}"]), true),
            (.stringList(["a"]), .stringList(["a"]), false), (.int64(1), .double(1), true), (nil, .int64(0), true),
            (nil, nil, false),
        ] as [(FieldValue?, FieldValue?, Bool)])
    func aFieldChangesByItsBytes(before: FieldValue?, after: FieldValue?, differs: Bool) {
        #expect(FieldValue.differ(before, after) == differs)
    }

    @Test(
        arguments: [
            ("n == 1", 1), ("n == 1 AND NOT (n > 3 OR t BEGINSWITH 'a')", 4), ("t LIKE 'abcdefgh'", 152),
            ("TRUEPREDICATE", 0), ("n IN {1, 2, 3, 4, 5, 6, 7, 8}", 3), ("t CONTAINS[cd] 'a'", 8),
            ("ANY l BEGINSWITH 'a' OR n == 1", 1501),
        ])
    func thePredicateHasACost(text: String, cost: Int) throws {
        let given = GivenQuery(recordType: Self.artwork, filters: [], predicate: GivenPredicate(text: text))
        let types: [FieldName: FieldType] = [
            FieldName(trusted: "n"): .int64, FieldName(trusted: "t"): .string, FieldName(trusted: "l"): .stringList,
        ]
        #expect(try QueryValidator.query(given, types: types, time: nil).predicate.cost == cost)
    }
}
