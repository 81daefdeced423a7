import CloudMessages
import CloudModel
import EventLog
import NotificationDelivery
import RecordService
import RecordStore
import SubscriptionMatcher
import TestSupport
import Testing

@testable import Inspection

/// A system in which users with several subscriptions and devices save records in two databases, on any log.
struct WayWorld {
    let system: TestSystem
    let alice: Caller
    let bob: Caller
    private(set) var devices: [Device] = []
    private var random: SeededGenerator
    private var expected = 0

    init(_ log: any EventLog, seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        system = try await TestSystem(log: log, partitions: 3)
        alice = try await system.user("alice")
        bob = try await system.user("bob")
        for (name, caller) in [("phone", alice), ("laptop", alice), ("tablet", bob)] {
            try await register(name, caller)
        }
        for (id, caller, database) in [
            ("all", alice, DatabaseScope.public), ("also", alice, .public), ("all", bob, .public),
            ("own", alice, .private),
        ] {
            try await subscribe(id, caller, in: database)
        }
    }

    /// The log of the system.
    var log: any EventLog { system.log }

    mutating func register(_ id: String, _ caller: Caller) async throws {
        devices.append(
            try await system.service.registerDevice(DeviceID(trusted: id), name: "", platform: "", for: caller))
    }

    func subscribe(
        _ id: String, _ caller: Caller, in database: DatabaseScope = .public, from start: StartingFrom = .now
    ) async throws {
        var draft = SubscriptionDraft(
            id: SubscriptionID(trusted: id), query: GivenQuery(recordType: RecordType(trusted: "Task"), filters: []),
            zone: nil, firesOn: [.create, .update, .delete], firesOnce: false,
            notificationInfo: NotificationInfo(alertBody: "x", shouldBadge: true))
        draft.startingFrom = start
        // No two subscriptions of a user are the same.
        if id != "all" { draft.firesOn = [.create, .update] }
        let results = try await system.service.modifySubscriptions([.create(draft)], in: database, for: caller)
        #expect(!results.contains { if case .failed = $0 { true } else { false } }, "\(results)")
    }

    /// Saves records, so many requests of one to five, by any user from any device or none.
    mutating func live(_ requests: Int) async throws {
        for request in 0..<requests {
            let isPrivate = Int.random(in: 0..<4, using: &random) == 0
            var caller = isPrivate || Bool.random(using: &random) ? alice : bob
            if Int.random(in: 0..<3, using: &random) == 0, request < requests - 1 {
                caller.client = devices.filter { $0.user == caller.user }.randomElement(using: &random)?.id
            }
            let operations = (0..<Int.random(in: 1...5, using: &random)).map { number in
                operation("\(caller.user!)-\(Int.random(in: 0..<40, using: &random))-\(number)", "\(request)")
            }
            try await save(operations, in: isPrivate ? .private : .public, by: caller)
            expected += operations.count * (isPrivate ? 1 : 3)
            if request % 10 == 9 { try await read() }
            if request == requests / 2 { try await register("late", alice) }
        }
        try await end()
    }

    private func operation(_ name: String, _ text: String) -> RecordOperation {
        RecordOperation(
            kind: .forceUpdate, recordName: RecordName(trusted: name), recordType: RecordType(trusted: "Task"),
            fields: [FieldName(trusted: "s"): GivenValue(.string(text), isTypeExplicit: false)])
    }

    private func save(_ operations: [RecordOperation], in database: DatabaseScope, by caller: Caller) async throws {
        let results = try await system.service.modifyRecords(operations, in: database, for: caller)
        #expect(!results.contains { if case .failed = $0 { true } else { false } }, "\(results)")
    }

    /// Marks some notification of alice's as read.
    private mutating func read() async throws {
        let delivered = try await WayOracle(log, system.layout).notifications.filter { $0.user == alice.user?.rawValue }
        guard let one = delivered.randomElement(using: &random) else { return }
        try await system.service.markRead([CommitSequence(one.change)], on: devices[0].id, for: alice)
    }

    /// Saves one record more, and waits until journals have everything.
    private mutating func end() async throws {
        try await save([operation("last", "public")], in: .public, by: bob)
        expected += 3
        let (log, layout, expected) = (log, system.layout, expected)
        try await eventually("\(expected) notifications in journals") {
            // All is read only once the journals are long enough.
            let journals = (0..<layout.partitions).map { TopicPartition(layout.journals, $0) }
            let entries = try await log.bounds(of: journals).values.reduce(0) { $0 + $1.end }
            guard entries >= expected else { return false }
            let notifications = try await WayOracle(log, layout).notifications
            return notifications.count(where: { !$0.isBackfilled }) >= expected
        }
    }

    /// The search for ways in the topics of the world.
    var finder: WayFinder {
        let layout = system.layout
        let groups = LogEvidence.Groups(
            matching: SubscriptionMatcher.group(layout), delivery: NotificationDelivery.group(layout))
        let evidence = LogEvidence(log: log, layout: layout, groups: groups) { _, _ in [:] }
        return WayFinder(evidence) { [store = system.service.store] user in
            try await store.read { try $0.devices(of: user) }.map {
                WayFinder.Device(id: $0.device.id, epoch: $0.device.epoch, lastSeen: $0.lastSeen, place: nil)
            }
        }
    }
}
