import CloudModel
import Matching
import Testing

/// Which changes a subscription fires on, leaving its predicate aside.
@Suite struct FiringTests {
    private func subscription(
        database: DatabaseScope = .public, zone: ZoneName? = nil, firesOn: FiringEvents = [.create, .update, .delete],
        user: UserRecordName = Fixtures.alice, filters: [Filter] = []
    ) -> Subscription {
        Subscription(
            key: SubscriptionKey(user: user, database: database, id: SubscriptionID(trusted: "s")),
            condition: Subscription.Condition(
                query: Query(recordType: RecordType(trusted: "Artwork"), filters: filters), zone: zone,
                firesOn: firesOn, firesOnce: false),
            notificationInfo: NotificationInfo())
    }

    private func change(
        _ kind: Change.Kind, _ record: Record, before: Record? = nil, database: DatabaseScope = .public
    ) -> Change {
        Change(
            sequence: CommitSequence(1), lastSubscription: .zero, database: database, kind: kind,
            before: kind == .deleted ? record : before, after: kind == .deleted ? nil : record,
            committed: Timestamp(milliseconds: 1), origin: Origin(user: Fixtures.bob, device: nil, epoch: nil))
    }

    @Test(arguments: [Change.Kind.created, .updated, .deleted])
    func onlyRequestedEventsFire(kind: Change.Kind) {
        for event in [FiringEvents.create, .update, .delete] {
            let fires = subscription(firesOn: event).fires(on: change(kind, Fixtures.record()))
            #expect(fires == (event == kind.firingEvent))
        }
    }

    @Test func typeDatabaseAndZoneHaveToBeRight() {
        #expect(subscription().fires(on: change(.created, Fixtures.record())))
        #expect(!subscription().fires(on: change(.created, Fixtures.record(type: "artwork"))))
        #expect(subscription(zone: .defaultZone).fires(on: change(.created, Fixtures.record())))
        #expect(!subscription(zone: ZoneName(trusted: "z")).fires(on: change(.created, Fixtures.record())))
        #expect(!subscription(database: .private).fires(on: change(.created, Fixtures.record())))
    }

    /// G8: nobody fires on what they may not read.
    @Test func aPrivateDatabaseIsItsOwnersOnly() {
        let record = Fixtures.record(zone: ZoneID(name: .defaultZone, owner: Fixtures.alice))
        let created = change(.created, record, database: .private)
        #expect(subscription(database: .private, user: Fixtures.alice).fires(on: created))
        #expect(!subscription(database: .private, user: Fixtures.bob).fires(on: created))
        #expect(!subscription(database: .shared, user: Fixtures.bob).fires(on: created))
        #expect(!subscription(user: Fixtures.alice).fires(on: created))
    }

    /// docs/choices.md, 2: an update is matched on the new values only, a deletion on the last.
    @Test func anUpdateIsMatchedOnItsNewValues() {
        let high = Filter(
            field: .field(FieldName(trusted: "n")), comparator: .greaterThan, operand: .value(.int64(5)))
        let low = Fixtures.record(["n": .int64(1)])
        let top = Fixtures.record(["n": .int64(9)])
        #expect(subscription(filters: [high]).fires(on: change(.updated, top, before: low)))
        #expect(!subscription(filters: [high]).fires(on: change(.updated, low, before: top)))
        #expect(subscription(filters: [high]).fires(on: change(.deleted, top)))
        #expect(!subscription(filters: [high]).fires(on: change(.deleted, low)))
    }

    @Test func theMatcherHoldsInsertedAndReplacedSubscriptions() {
        var matcher = ReferenceMatcher()
        matcher.insert(subscription(), id: 7)
        matcher.insert(subscription(firesOn: .delete), id: 3)
        matcher.insert(subscription(database: .private), id: 5)
        #expect(matcher.count == 3)
        #expect(matcher.matches(of: change(.deleted, Fixtures.record())) == [3, 7])
        #expect(matcher.matches(of: change(.created, Fixtures.record())) == [7])
        matcher.insert(subscription(firesOn: .create), id: 3)
        matcher.remove(id: 7)
        matcher.remove(id: 99)
        #expect(matcher.matches(of: change(.created, Fixtures.record())) == [3])
        #expect(matcher.count == 2)
    }
}
