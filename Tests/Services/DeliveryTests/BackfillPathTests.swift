import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import RecordService
import TestSupport
import Testing

/// A subscription that begins in the past gives what one that always existed would have given, over the whole path.
@Suite struct BackfillPathTests {
    /// A notification as it is compared: of a record, its changes in their order.
    private struct Delivered: Hashable {
        var change: Int64
        var reason: Change.Kind
    }

    private static let year = FieldName(trusted: "year")

    private static func subscription(_ id: String, since year: Int64, from: StartingFrom = .now) -> SubscriptionDraft {
        let filter = GivenFilter(
            field: .field(Self.year), comparator: .greaterThan,
            operand: .value(GivenValue(.int64(year), isTypeExplicit: false)))
        var draft = SubscriptionDraft(
            id: SubscriptionID(trusted: id),
            query: GivenQuery(recordType: RecordType(trusted: "Artwork"), filters: [filter]),
            zone: nil, firesOn: [.create, .update, .delete], firesOnce: false,
            notificationInfo: NotificationInfo(alertBody: "new", shouldBadge: true))
        draft.startingFrom = from
        return draft
    }

    private static func save(_ system: TestSystem, _ user: Caller, _ name: Int, year: Int64) async throws {
        let operation = RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: "a\(name)"), recordType: RecordType(trusted: "Artwork"),
            fields: [
                Self.year: GivenValue(.int64(year), isTypeExplicit: false),
                // A save that changes nothing would be none.
                FieldName(trusted: "save"): GivenValue(
                    .string(UniqueName.make()), isTypeExplicit: false),
            ])
        let results = try await system.service.modifyRecords([operation], in: .public, for: user)
        #expect(results.allSatisfy { if case .record = $0 { true } else { false } })
    }

    private static func content(_ notification: Notification) -> Notification.QueryContent? {
        guard case .query(let content) = notification.content else { return nil }
        return content
    }

    /// The notifications of each record.
    private static func delivered(_ notifications: [Notification]) -> [String: [Delivered]] {
        var delivered: [String: [Delivered]] = [:]
        for notification in notifications {
            guard let content = content(notification) else { continue }
            delivered[content.recordName.rawValue, default: []].append(
                Delivered(change: notification.subject.change.rawValue, reason: content.reason))
        }
        return delivered
    }

    @Test("a backfill and later notifications equal those of a subscription that always existed", arguments: 1...6)
    func always(seed: UInt64) async throws {
        try await within {
            var random = SeededGenerator(seed: seed)
            let system = try await TestSystem(log: MemoryLog(), deliverers: 2)
            let carol = try await system.user("carol")
            var readers: [(caller: Caller, device: Device)] = []
            for name in ["alice", "bob", "dave"] {
                let caller = try await system.user(name)
                readers.append(
                    (caller, try await system.service.registerDevice(nil, name: name, platform: "", for: caller)))
            }
            func subscribe(_ place: Int, _ from: StartingFrom) async throws {
                let results = try await system.service.modifySubscriptions(
                    [.create(Self.subscription("s", since: 10, from: from))], in: .public, for: readers[place].caller)
                guard case .subscription(let saved)? = results.first else {
                    Issue.record("\(results)")
                    return
                }
                #expect((saved.backfill != nil) == (from != .now))
            }
            try await subscribe(0, .now)
            // Two more come later, one of them twice, while saves go on.
            let late = [Int.random(in: 0..<80, using: &random), Int.random(in: 20..<100, using: &random)]
            var fired = 0
            for step in 0..<120 {
                for (place, at) in late.enumerated() where at == step {
                    try await subscribe(place + 1, .time(Timestamp(milliseconds: 0)))
                }
                let number = Int.random(in: 0..<15, using: &random)
                let year = Int64.random(in: 0..<40, using: &random)
                try await Self.save(system, carol, number, year: year)
                if year > 10 { fired += 1 }
            }
            try await eventually("all that was committed") { [readers, fired] in
                for reader in readers
                where try await system.feed(reader.device.id, of: reader.caller).count != fired { return false }
                return true
            }
            let expected = Self.delivered(try await system.feed(readers[0].device.id, of: readers[0].caller))
            for reader in readers.dropFirst() {
                let feed = try await system.feed(reader.device.id, of: reader.caller)
                #expect(Self.delivered(feed) == expected, "seed \(seed)")
                for (record, contents) in Dictionary(grouping: feed.compactMap(Self.content), by: \.recordName) {
                    let marks = contents.map(\.isBackfilled)
                    #expect(
                        marks == marks.filter { $0 } + marks.filter { !$0 },
                        "seed \(seed): the past of \(record) comes first")
                }
                let badges = feed.compactMap(Self.content).filter { $0.badge != nil }
                #expect(badges.allSatisfy { !$0.isBackfilled })
            }
            await system.stop()
        }
    }

    @Test("a subscription that fires once fires on its first change of the past, and is gone")
    func once() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            for number in 0..<20 { try await Self.save(system, alice, number, year: 20) }
            var draft = Self.subscription("once", since: 10, from: .time(Timestamp(milliseconds: 0)))
            draft.firesOnce = true
            _ = try await system.service.modifySubscriptions([.create(draft)], in: .public, for: alice)
            try await eventually("the subscription's deletion") {
                try await system.service.listSubscriptions(in: .public, for: alice).isEmpty
            }
            _ = try await system.service.modifySubscriptions(
                [.create(Self.subscription("after", since: 10))], in: .public, for: alice)
            try await Self.save(system, alice, 99, year: 20)
            try await eventually("the last notification") {
                try await system.feed(phone.id, of: alice).compactMap(Self.content)
                    .contains { $0.subscription.id.rawValue == "after" }
            }
            let delivered = try await system.feed(phone.id, of: alice).compactMap(Self.content)
            #expect(delivered.filter { $0.subscription.id.rawValue == "once" }.count == 1)
            #expect(delivered.first?.isBackfilled == true)
            await system.stop()
        }
    }

    @Test("in a private database the past is the owner's; times to come are refused")
    func privateDatabase() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            let operations = (0..<5).map {
                RecordOperation(
                    kind: .forceUpdate, recordName: RecordName(trusted: "a\($0)"),
                    recordType: RecordType(trusted: "Artwork"),
                    fields: [Self.year: GivenValue(.int64(20), isTypeExplicit: false)])
            }
            _ = try await system.service.modifyRecords(operations, in: .private, for: alice)
            let future = Timestamp(milliseconds: Int64.max)
            let results = try await system.service.modifySubscriptions(
                [
                    .create(Self.subscription("s", since: 10, from: .time(Timestamp(milliseconds: 0)))),
                    .create(Self.subscription("t", since: 11, from: .time(future))),
                    .create(Self.subscription("u", since: 12, from: .changeToken("x"))),
                ], in: .private, for: alice)
            guard case .subscription(let saved) = results[0], case .failed(_, let late) = results[1],
                case .failed(_, let foreign) = results[2]
            else {
                Issue.record("\(results)")
                return
            }
            #expect(late.code == .badRequest && foreign.code == .badRequest)
            #expect(try await system.service.listSubscriptions(in: .private, for: alice) == [saved])
            try await eventually("five of the past") {
                try await system.feed(phone.id, of: alice).count(where: { Self.content($0)?.isBackfilled == true }) == 5
            }
            await system.stop()
        }
    }

    /// Steps of a review: a few requests ask for hundreds of backfills over all records.
    @Test(
        "hundreds of backfills cost the log about one, and another user's small one comes all the same",
        arguments: [DatabaseScope.public, .private])
    func many(database: DatabaseScope) async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let mallory = try await system.user("mallory")
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            let laptop = try await system.service.registerDevice(nil, name: "", platform: "", for: mallory)
            let records = 100
            let operations = (0..<records).map {
                RecordOperation(
                    kind: .forceUpdate, recordName: RecordName(trusted: "a\($0)"),
                    recordType: RecordType(trusted: "Artwork"),
                    fields: [Self.year: GivenValue(.int64(20), isTypeExplicit: false)])
            }
            _ = try await system.service.modifyRecords(operations, in: database, for: mallory)
            @Sendable func ask(_ first: Int) async throws -> (accepted: Int, limits: Set<String>) {
                let drafts = (first..<first + 200).map {
                    Self.subscription("s\($0)", since: -Int64($0), from: .time(Timestamp(milliseconds: 0)))
                }
                let results = try await system.service.modifySubscriptions(
                    drafts.map { .create($0) }, in: database, for: mallory)
                var answer = (accepted: 0, limits: Set<String>())
                for result in results {
                    switch result {
                    case .subscription: answer.accepted += 1
                    case .failed(_, let error): answer.limits.insert(error.limit?.name ?? "\(error)")
                    default: Issue.record("\(result)")
                    }
                }
                return answer
            }
            let first = try await ask(0)
            #expect(first.accepted == Limits.backfillsOpenMax && first.limits == ["backfillsOpenMax"])
            try await Self.save(system, alice, 1000, year: 30)
            _ = try await system.service.modifySubscriptions(
                [.create(Self.subscription("small", since: 25, from: .time(Timestamp(milliseconds: 0))))], in: .public,
                for: alice)
            try await eventually("all of the attacker's past") {
                try await system.feed(laptop.id, of: mallory).count(where: { Self.content($0)?.isBackfilled == true })
                    >= records * first.accepted
            }
            try await eventually("the victim's past") {
                try await system.feed(phone.id, of: alice).compactMap(Self.content).contains(where: \.isBackfilled)
            }
            var entries = 0
            for partition in 0..<system.layout.partitions {
                let topic = TopicPartition(system.layout.deliveries, partition)
                entries += Int(try await system.log.bounds(of: [topic])[topic]?.end ?? 0)
            }
            // One for each record, and a few for each partition and subscription.
            #expect(entries < 3 * records, "\(entries)")
            // There is room for others once these are delivered.
            try await eventually("room for more") { try await ask(1000).accepted > 0 }
            await system.stop()
        }
    }

    @Test("of each record the backfill comes before a new change, whatever other partitions do")
    func eachRecord() async throws {
        try await within {
            let system = try await TestSystem(log: MemoryLog())
            let alice = try await system.user("alice")
            let phone = try await system.service.registerDevice(nil, name: "", platform: "", for: alice)
            for number in 0..<40 { try await Self.save(system, alice, number, year: 20) }
            _ = try await system.service.modifySubscriptions(
                [.create(Self.subscription("s", since: 10, from: .time(Timestamp(milliseconds: 0))))], in: .public,
                for: alice)
            for number in 0..<40 { try await Self.save(system, alice, number, year: 21) }
            try await eventually("all of both") {
                try await system.feed(phone.id, of: alice).count(where: { Self.content($0) != nil }) == 80
            }
            for (record, contents) in Dictionary(
                grouping: try await system.feed(phone.id, of: alice).compactMap(Self.content), by: \.recordName)
            {
                #expect(contents.map(\.isBackfilled) == [true, false], "\(record)")
            }
            await system.stop()
        }
    }
}
