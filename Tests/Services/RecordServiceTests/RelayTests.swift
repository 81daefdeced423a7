import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// The relay, the consumer of commands, and the sweep: what runs beside requests.
@Suite struct RelayTests {
    // MARK: The plan

    /// No change is published before all earlier subscription events are acknowledged; everything once, in order.
    @Test(arguments: 1...40)
    func noChangeGoesOutBeforeTheSubscriptionEventsBeforeIt(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let destinations: [OutboxRow.Destination] = [
            .changes(.public), .changes(.private), .subscriptions, .deliveries,
        ]
        let rows = (0..<Int.random(in: 0...40, using: &random)).map {
            OutboxRow(
                sequence: CommitSequence(Int64($0 + 1)), destination: destinations.randomElement(using: &random)!,
                key: [],
                value: nil, time: Timestamp(milliseconds: 0))
        }
        let steps = RelayPlan.steps(rows)
        // However they alternate: a user who makes subscriptions beside others' saves does not delay these.
        #expect(steps.count <= 3 && steps.allSatisfy { !$0.isEmpty }, "seed \(seed)")
        let places = Dictionary(
            uniqueKeysWithValues: steps.enumerated().flatMap { place, step in step.map { ($0.sequence, place) } })
        #expect(places.count == rows.count && steps.joined().count == rows.count, "seed \(seed)")
        for (number, row) in rows.enumerated() {
            for earlier in rows[..<number] {
                let (before, after) = (places[earlier.sequence]!, places[row.sequence]!)
                switch (earlier.destination, row.destination) {
                case (.subscriptions, .changes), (.deliveries, .subscriptions):
                    #expect(before < after, "seed \(seed): \(row.sequence) beside or before \(earlier.sequence)")
                case (let one, let other) where one == other: #expect(before == after, "seed \(seed)")
                default: break
                }
            }
        }
        #expect(steps.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0.sequence < $1.sequence } }, "seed \(seed)")
    }

    /// Whichever of a change and an event was committed first: a transaction may not have seen the lower one.
    @Test("a change names the last subscription event below it, by the order alone")
    func changesNameTheLastEventBelowThem() throws {
        let layout = RecordServiceRig.layout
        let key = SubscriptionKey(
            user: UserRecordName.sample("a"), database: .public, id: SubscriptionID(trusted: "s"))
        func row(_ sequence: Int64, _ destination: OutboxRow.Destination, of event: Int64? = nil) -> OutboxRow {
            var value: [UInt8]? = ChangeEvent(database: 1, committed: sequence).encoded()
            if destination == .subscriptions { value = event.map { _ in [1] } }
            return OutboxRow(
                sequence: CommitSequence(sequence), destination: destination,
                key: layout.subscriptionKey(key, CommitSequence(event ?? 1)), value: value,
                time: Timestamp(milliseconds: 0))
        }
        let rows = [
            row(10, .changes(.public)), row(12, .subscriptions, of: 12), row(15, .changes(.private)),
            row(16, .deliveries),
            // A version that is published again, under its own name, and a removal.
            row(20, .subscriptions, of: 3), row(21, .changes(.public)), row(30, .subscriptions),
            row(34, .changes(.shared)),
        ]
        let expected: [Int64: Int64] = [10: 7, 15: 12, 21: 12, 34: 30]
        func names(_ rows: [OutboxRow]) throws -> [Int64: Int64] {
            var names: [Int64: Int64] = [:]
            for row in rows {
                guard case .changes = row.destination else { continue }
                let event = try ChangeEvent(decoding: row.value!)
                #expect(event.committed == row.sequence.rawValue, "all else is as it was")
                names[row.sequence.rawValue] = event.lastSubscription
            }
            return names
        }
        var whole = LastSubscription(after: CommitSequence(7))
        let filled = whole.filled(rows)
        #expect(try names(filled) == expected)
        #expect(whole.sequence == CommitSequence(30))
        // However the rows are cut, and again after a crash, with those before removed.
        for cut in rows.indices {
            var mark = LastSubscription(after: CommitSequence(7))
            #expect(mark.filled(Array(rows[..<cut])) + mark.filled(Array(rows[cut...])) == filled)
            var before = LastSubscription(after: CommitSequence(7))
            _ = before.filled(Array(rows[..<cut]))
            var again = LastSubscription(after: before.sequence)
            #expect(again.filled(Array(rows[cut...])) == Array(filled[cut...]))
        }
        // A row of an earlier version has a name already.
        var old = row(40, .changes(.public))
        old.value! += ChangeEvent(lastSubscription: 5).encoded()
        #expect(try names(whole.filled([old])) == [40: 30])
    }

    // MARK: The relay

    /// Every row reaches its partition, in commit order of each, named by its sequence; after a failure of the log the
    /// relay starts at the first row that is not removed.
    @Test(
        arguments: [[:], [1: .before, 2: .after], [2: .partWay(3), 3: .partWay(0), 4: .after]]
            as [[Int: FailingLog.Failure]])
    func everyRowIsPublishedInOrder(failures: [Int: FailingLog.Failure]) async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            for number in 0..<5 {
                _ = try await rig.apply(.create(.draft("s\(number)", type: "T\(number)")))
                _ = try await rig.service.modifyRecords(
                    (0..<5).map { .on("r\(number)-\($0)", .create) }, in: .public, for: rig.alice)
                _ = try await rig.apply(.on("p\(number)", .create), in: .private)
                _ = try await rig.service.registerDevice(nil, name: "", platform: "", for: rig.bob)
            }
            let rows = try await rig.outbox()
            let memory = MemoryLog()
            _ = try await memory.createTopics(layout.fixedTopics)
            let log = FailingLog(memory) { failures[$0] }
            let relay = Task { await OutboxRelay(store: rig.service.store, layout: layout, log: log).run() }
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            // Later rows are published too.
            _ = try await rig.apply(.on("last", .create))
            try await eventually("an empty outbox again") { try await rig.outbox().isEmpty }
            relay.cancel()
            await relay.value
            let published = try await Self.published(memory, layout)
            #expect(published.map(\.sequence) == Array(1...Int64(rows.count + 1)))
            for (row, entry) in zip(rows, published) {
                #expect(entry.key == row.key)
                // The relay adds to a change what it waits for.
                let isChange = if case .changes = row.destination { true } else { false }
                #expect(entry.value == row.value || isChange && entry.value!.starts(with: row.value!))
                #expect(entry.topic == Self.topic(row, layout))
            }
            #expect(log.failureCount == failures.count)
        }
    }

    private struct Published {
        var sequence: Int64
        var topic: TopicName
        var key: [UInt8]?
        var value: [UInt8]?
    }

    /// The entries of the topics, each sequence once, after checking that first occurrences are in order in each
    /// partition.
    private static func published(_ log: MemoryLog, _ layout: TopicLayout) async throws -> [Published] {
        var all: [Published] = []
        for specification in layout.fixedTopics {
            for number in 0..<specification.partitions {
                let partition = TopicPartition(specification.name, number)
                var last: Int64 = 0
                for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                    // Entries that keep halves together have no sequence.
                    guard let header = entry.headers.first(where: { $0.name == "fanfare-sequence" }) else { continue }
                    let sequence = Int64(String(decoding: header.value, as: UTF8.self))!
                    guard sequence > last else { continue }
                    last = sequence
                    #expect(layout.partition(of: entry.key!) == number || specification.partitions == 1)
                    all.append(
                        Published(sequence: sequence, topic: partition.topic, key: entry.key, value: entry.value))
                }
            }
        }
        return all.sorted { $0.sequence < $1.sequence }
    }

    private static func topic(_ row: OutboxRow, _ layout: TopicLayout) -> TopicName {
        switch row.destination {
        case .changes(let database): layout.changes(database)
        case .subscriptions: layout.subscriptions
        case .deliveries: layout.deliveries
        case .pushAddresses: layout.pushAddresses
        }
    }

    // MARK: Commands

    /// Commands are applied once, also when they are repeated, when the consumer restarts, and with poison among them.
    @Test func commandsAreAppliedOnce() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            let writer = try await log.makeWriter()
            let source = SourceID(origin: "deliveries", incarnation: 4, partition: 1)
            @Sendable func publish(_ offset: Int64, _ value: [UInt8]?) async throws {
                let key = layout.commandKey(.public)
                try await writer.append([
                    OutgoingEntry(
                        TopicPartition(layout.commands, layout.partition(of: key)), key: key, value: value,
                        timestamp: LogTimestamp(rig.now))
                ])
            }
            @Sendable func delete(_ offset: Int64, created: Int64, id: String = "s") async throws {
                let deletion = DeleteSubscription(
                    user: rig.alice.user!.rawValue, database: 1, id: id, created: created)
                try await publish(
                    offset,
                    Command(
                        source: SourcePositionMessage(SourcePosition(source: source, offset: offset)),
                        command: .deleteSubscription(deletion)
                    ).encoded())
            }
            @Sendable func ids() async throws -> [String] {
                try await rig.service.listSubscriptions(in: .public, for: rig.alice).map(\.key.id.rawValue)
            }
            func consume(_ what: String, _ condition: @escaping @Sendable () async throws -> Bool) async throws {
                let running = Task { await rig.service.applyCommands(of: log) }
                try await eventually(what, condition)
                running.cancel()
                await running.value
            }
            _ = try await rig.apply(.create(.draft("s", firesOnce: true)))
            _ = try await rig.apply(.create(.draft("t", type: "T2", firesOnce: true)))
            for poison in [nil, [], [0xff], Array("x".utf8)] as [[UInt8]?] { try await publish(0, poison) }
            try await delete(10, created: 1)
            try await consume("the deletion") { try await ids() == ["t"] }
            // Created again; the same command comes again, and a late one for the first creation under another name.
            _ = try await rig.apply(.create(.draft("s", firesOnce: true)))
            try await delete(10, created: 1)
            try await delete(11, created: 1)
            try await delete(12, created: 2, id: "t")
            try await consume("the next deletion") { try await !ids().contains("t") }
            #expect(try await ids() == ["s"])
            let sequence = try await rig.lastSequence()
            // A restarted consumer has nothing to do; it continues behind the applied commands.
            try await delete(13, created: 99)
            @Sendable func storedOffset() async throws -> Int64? {
                let reader = "commands/\(layout.partition(of: layout.commandKey(.public)))"
                let stored = try await rig.service.store.read { try $0.position(reader) }
                return try stored.map { try PositionMessage(decoding: $0).position.offset }
            }
            try await consume("the last command") { try await storedOffset() == 9 }
            // What changes nothing moves the position too: retention may remove it before the next command comes.
            try await delete(13, created: 99)
            try await consume("a repeat") { try await storedOffset() == 10 }
            try await publish(0, [0xff])
            try await consume("poison") { try await storedOffset() == 11 }
            #expect(try await rig.lastSequence() == sequence)
        }
    }

    // MARK: The sweep

    @Test func theSweepRemovesUnknownTopics() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            let live = try await rig.service.registerDevice(
                DeviceID(trusted: "live"), name: "", platform: "", for: rig.alice)
            for _ in 0..<9 { _ = try await rig.apply(.on(nil, .create)) }
            func feed(_ device: String, _ epoch: Int64) -> TopicSpecification {
                layout.feedSpecification(DeviceID(trusted: device), DeviceEpoch(epoch))
            }
            let kept = [feed("live", live.epoch.rawValue), feed("delivered", 3), feed("newer", 11)]
            let gone = [feed("live", 0), feed("removed", 5), feed("delivered", 2)]
            _ = try await log.createTopics(kept + gone)
            let state = UserState(devices: [DeviceState(device: "delivered", epoch: 3)])
            let partition = layout.partition(of: layout.userKey(rig.bob.user!))
            let claim = StateClaim(
                input: TopicPartition(layout.deliveries, partition), group: GroupName("g"),
                state: TopicPartition(layout.deliveryState, partition))
            try await log.takeOver(claim).commit(
                [layout.userKey(rig.bob.user!): state.encoded()], offset: 0, at: LogTimestamp(rig.now))
            var sweep = FeedSweep(
                store: rig.service.store, progress: rig.service.deliveries, layout: layout, log: log)
            // While what delivery knows has not been followed to its end, nothing is removed.
            try await sweep.run()
            #expect(try await log.topics(withPrefix: layout.feedPrefix).count == kept.count + gone.count)
            let following = Task {
                await DeliveryFollower(progress: rig.service.deliveries, layout: layout, log: log).run()
            }
            let progress = rig.service.deliveries
            let states = (0..<layout.partitions).map { TopicPartition(layout.deliveryState, $0) }
            try await eventually("the follower") { progress.hasRead(to: try await log.bounds(of: states)) }
            // The first look only suspects.
            try await sweep.run()
            #expect(try await log.topics(withPrefix: layout.feedPrefix).count == kept.count + gone.count)
            try await sweep.run()
            #expect(try await log.topics(withPrefix: layout.feedPrefix) == kept.map(\.name).sorted())
            let fixed = layout.fixedTopics.map(\.name)
            #expect(try await log.describeTopics(fixed).count == fixed.count)
            following.cancel()
            await following.value
        }
    }

    /// A topic may be made of a registration before delivery commits that it knows the device: a sweep in between must
    /// not take it for nobody's.
    @Test func theSweepLeavesAFeedThatDeliveryIsAboutToCommit() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            let progress = rig.service.deliveries
            let following = Task { await DeliveryFollower(progress: progress, layout: layout, log: log).run() }
            let phone = try await rig.service.registerDevice(
                DeviceID(trusted: "phone"), name: "", platform: "", for: rig.alice)
            let feed = layout.feedSpecification(phone.id, phone.epoch)
            let key = layout.userKey(rig.alice.user!)
            let partition = layout.partition(of: key)
            // Its registration is in deliveries; the topic is made, and the device is removed meanwhile.
            let writer = try await log.makeWriter()
            try await writer.append([
                OutgoingEntry(
                    TopicPartition(layout.deliveries, partition), key: key, value: [1], timestamp: LogTimestamp(rig.now)
                )
            ])
            _ = try await log.createTopics([feed])
            try await rig.service.unregisterDevice(phone.id, for: rig.alice)
            var sweep = FeedSweep(store: rig.service.store, progress: progress, layout: layout, log: log)
            for _ in 0..<3 { try await sweep.run() }
            #expect(try await log.describeTopics([feed.name]).count == 1)
            // Now delivery commits: it knows the device, until it comes to its removal.
            let session = try await log.takeOver(
                StateClaim(
                    input: TopicPartition(layout.deliveries, partition), group: GroupName("g"),
                    state: TopicPartition(layout.deliveryState, partition)))
            let known = UserState(devices: [DeviceState(device: "phone", epoch: phone.epoch.rawValue)])
            let state = TopicPartition(layout.deliveryState, partition)
            func commit(_ user: UserState, _ next: Int64) async throws {
                try await session.commit(
                    [key: user.encoded(), PartitionState.key: PartitionState(next: next).encoded()], offset: next,
                    at: LogTimestamp(rig.now))
                let bounds = try await log.bounds(of: [state])
                try await eventually("the follower") { progress.hasRead(to: bounds) }
            }
            try await commit(known, 1)
            for _ in 0..<2 { try await sweep.run() }
            #expect(try await log.describeTopics([feed.name]).count == 1)
            try await commit(UserState(), 1)
            for _ in 0..<2 { try await sweep.run() }
            #expect(try await log.describeTopics([feed.name]).isEmpty)
            following.cancel()
            await following.value
        }
    }

    /// Retention has removed unread commands: delivery's state has their subscriptions.
    @Test func commandsThatAreGoneAreMadeUpFor() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = MemoryLog()
            _ = try await log.createTopics(layout.fixedTopics)
            _ = try await rig.apply(.create(.draft("fired", firesOnce: true)))
            _ = try await rig.apply(.create(.draft("waiting", type: "T2", firesOnce: true)))
            let key = layout.userKey(rig.alice.user!)
            let partition = layout.partition(of: key)
            let session = try await log.takeOver(
                StateClaim(
                    input: TopicPartition(layout.deliveries, partition), group: GroupName("g"),
                    state: TopicPartition(layout.deliveryState, partition)))
            let state = UserState(spent: [SpentSubscription(created: 1, fired: 9)])
            try await session.commit([key: state.encoded()], offset: 0, at: LogTimestamp(rig.now))
            let commands = TopicPartition(layout.commands, layout.partition(of: layout.commandKey(.public)))
            let reader = "commands/\(commands.partition)"
            try await rig.service.store.write {
                try $0.setPosition(PositionMessage(LogPosition(offset: 0)).encoded(), of: reader)
            }
            let writer = try await log.makeWriter()
            for _ in 0..<3 {
                try await writer.append([
                    OutgoingEntry(commands, key: nil, value: [0xff], timestamp: LogTimestamp(rig.now))
                ])
            }
            try await log.truncate([commands: 2])
            let running = Task { await rig.service.applyCommands(of: log) }
            try await eventually("the end of commands") {
                let stored = try await rig.service.store.read { try $0.position(reader) }
                return try stored.map { try PositionMessage(decoding: $0).position.offset } == 3
            }
            #expect(
                try await rig.service.listSubscriptions(in: .public, for: rig.alice).map(\.key.id.rawValue) == [
                    "waiting"
                ])
            running.cancel()
            await running.value
        }
    }
}
