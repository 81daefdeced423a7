import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Stages
import Synchronization
import TestSupport
import Testing

@testable import Continuity

/// Halves that do not belong together are detected, distinguished, and repaired by the right steps.
@Suite struct IdentityTests {
    private static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 2)
    private static let half = ScopeIdentity.LogHalf(
        cluster: "c", topics: ["deliveries": 1, "subscriptions": 2, "delivery-state": 3, "journals": 4])
    private static let record = ScopeIdentity(store: 7, log: half, published: 100)

    private static func differences(
        record: ScopeIdentity?, copy: ScopeIdentity?, log: ScopeIdentity.LogHalf = half, store: UInt64 = 7,
        last: Int64 = 100, claims: Set<UInt64> = [], isLogUsed: Bool = true
    ) -> [IdentityDifference] {
        IdentityDifference.between(
            record: record, copy: copy, log: log, store: store, last: last, claims: claims, isLogUsed: isLogUsed)
    }

    private static func with(_ change: (inout ScopeIdentity) -> Void) -> ScopeIdentity {
        var record = record
        change(&record)
        return record
    }

    @Test func matchingHalvesDoNotDiffer() {
        #expect(Self.differences(record: Self.record, copy: Self.record).isEmpty)
        // A crash between record and copy, before and after the first one.
        #expect(Self.differences(record: Self.record, copy: nil).isEmpty)
        #expect(Self.differences(record: Self.record, copy: Self.with { $0.published = 90 }).isEmpty)
        // The first start, and the first one of this version on halves that were used before.
        #expect(Self.differences(record: nil, copy: nil, last: 0, isLogUsed: false).isEmpty)
        #expect(Self.differences(record: nil, copy: nil).isEmpty)
        // A topic that came with a later version.
        var log = Self.half
        log.topics["new"] = 9
        #expect(Self.differences(record: Self.record, copy: Self.record, log: log).isEmpty)
    }

    @Test func eachLossIsNamed() {
        let copy = Self.record
        #expect(Self.differences(record: nil, copy: copy) == [.recordLost])
        #expect(Self.differences(record: nil, copy: nil, last: 0) == [.otherStore])
        #expect(Self.differences(record: Self.record, copy: nil, store: 8, last: 0) == [.otherStore])
        #expect(
            Self.differences(record: Self.record, copy: Self.with { $0.published = 40 }, last: 60)
                == [.olderStore(published: 100, last: 60)])
        #expect(
            Self.differences(record: Self.with { $0.published = 40 }, copy: copy)
                == [.olderLog(published: 40, known: 100)])
        var log = Self.half
        log.topics["deliveries"] = 5
        log.topics["subscriptions"] = nil
        #expect(
            Self.differences(record: Self.record, copy: copy, log: log)
                == [.topicRecreated("deliveries"), .topicLost("subscriptions")])
        log = ScopeIdentity.LogHalf(cluster: "d", topics: Self.half.topics.mapValues { $0 + 10 })
        #expect(
            Self.differences(record: nil, copy: copy, log: log).starts(with: [
                .recordLost, .otherLog(recorded: "c", found: "d"),
            ]))
    }

    /// The log lost its tail, with the record of a migration that the store knows to be done.
    @Test func aForgottenMigrationIsAnOlderLog() {
        let former = Self.with { $0.log.topics["journals"] = nil }
        #expect(Self.differences(record: former, copy: former) == [.formerLayout])
        #expect(
            Self.differences(record: former, copy: Self.record)
                == [.olderLog(published: former.published, known: Self.record.published)])
    }

    /// A copy of the store has published; the store itself is at the same sequence, or was left behind.
    @Test func anotherOwnerIsNamed() {
        let record = Self.with { $0.owner = 5 }
        #expect(Self.differences(record: record, copy: record, claims: [5]).isEmpty)
        #expect(Self.differences(record: record, copy: Self.record, claims: [0, 5]).isEmpty)
        #expect(Self.differences(record: record, copy: Self.record, claims: [4]) == [.otherOwner])
        #expect(Self.differences(record: record, copy: nil) == [.otherOwner])
        #expect(
            Self.differences(record: record, copy: Self.record, last: 60, claims: [4])
                == [.olderStore(published: 100, last: 60)])
        // A record from before there were claims.
        #expect(Self.differences(record: Self.record, copy: Self.record, claims: [4]).isEmpty)
        #expect(
            RepairPlan([.otherOwner], published: 100).steps
                == RepairPlan([.olderStore(published: 100, last: 60)], published: 100).steps)
    }

    /// Also on another log, on which a repair that was cut off has to be known as well.
    @Test func unfinishedWorkIsNamed() {
        let other = ScopeIdentity.LogHalf(cluster: "d", topics: [:])
        for (work, difference) in [
            (ScopeIdentity.Work.repair, IdentityDifference.repairUnfinished), (.feedMigration, .migrationUnfinished),
        ] {
            let record = Self.with { $0.work = work }
            #expect(Self.differences(record: record, copy: record) == [difference])
            #expect(
                Self.differences(record: record, copy: record, log: other)
                    == [difference, .otherLog(recorded: "c", found: "d")])
        }
        #expect(RepairPlan([.migrationUnfinished], published: 5).needsMigration)
    }

    /// A record of an earlier version does not name `journals`, whether that topic was made since or not. Once a record
    /// names it, its loss is the loss of a topic.
    @Test func theFormerLayoutIsNamed() {
        let former = Self.with { $0.log.topics["journals"] = nil }
        for log in [Self.half, former.log] {
            #expect(Self.differences(record: former, copy: former, log: log) == [.formerLayout])
            #expect(Self.differences(record: nil, copy: former, log: log) == [.recordLost, .formerLayout])
            var moving = former
            moving.work = .feedMigration
            #expect(
                Self.differences(record: moving, copy: former, log: log) == [.migrationUnfinished, .formerLayout])
        }
        #expect(Self.differences(record: Self.record, copy: former).isEmpty)
        #expect(
            Self.differences(record: Self.record, copy: Self.record, log: former.log) == [.topicLost("journals")])
        let plan = RepairPlan([.formerLayout], published: 5)
        #expect(plan.isOfFormerLayout && !plan.needsMigration && plan.steps.isEmpty && plan.missingTopics.isEmpty)
        let lost = RepairPlan([.topicLost("journals")], published: 5)
        #expect(lost.missingTopics == ["journals"] && !lost.isOfFormerLayout)
    }

    @Test func aRecordIsReadBack() throws {
        #expect(try ScopeIdentity(decoding: Self.record.encoded) == Self.record)
        let owned = Self.with {
            $0.owner = .max
            $0.work = .feedMigration
        }
        #expect(try ScopeIdentity(decoding: owned.encoded) == owned)
    }

    // MARK: Plans

    @Test func plansHaveTheNecessaryStepsOnly() {
        #expect(RepairPlan([.recordLost], published: 5).steps.isEmpty)
        #expect(RepairPlan([.topicRecreated("pushes")], published: 5).steps.isEmpty)
        #expect(RepairPlan([.topicRecreated("push-addresses")], published: 5).steps == [.publishAddresses])
        #expect(RepairPlan([.topicRecreated("journals")], published: 5).steps == [.renewDevices])
        #expect(RepairPlan([.topicRecreated("subscriptions")], published: 5).steps == [.publishSubscriptions])
        #expect(
            RepairPlan([.topicRecreated("deliveries")], published: 5).steps == [
                .rewindMatching, .restartDelivery, .compareDevices,
            ])
        // Without its state delivery knows nothing of what it has seen: matching stays where it is.
        #expect(
            RepairPlan([.topicRecreated("deliveries"), .topicRecreated("delivery-state")], published: 5).steps == [
                .rebuildDelivery, .renewDevices,
            ])
        let older = RepairPlan([.olderStore(published: 100, last: 60)], published: 100).steps
        #expect(older.dropFirst() == [.publishSubscriptions, .compareDevices, .publishAddresses])
        guard case .skipSequences(let through)? = older.first else {
            Issue.record("sequences would be used again")
            return
        }
        #expect(through > 100)
        // On another log everything is new: nothing of it has to be rewound.
        #expect(
            RepairPlan(
                [.recordLost, .otherLog(recorded: "c", found: "d"), .topicRecreated("deliveries")], published: 5
            ).steps == [.publishSubscriptions, .renewDevices, .publishAddresses, .restartCommands])
        #expect(RepairPlan([.topicLost("poison")], published: 5).missingTopics == ["poison"])
    }

    /// An older log may have journals that kept more than `deliveries`. Another log has other names, and a store changes
    /// none.
    @Test func aRestoredLogGetsNamesOfItsOwn() {
        let older = IdentityDifference.olderLog(published: 40, known: 100)
        let all: [RepairPlan.Step] = [
            .beginGeneration, .publishSubscriptions, .renewDevices, .publishAddresses, .restartCommands,
        ]
        #expect(RepairPlan([older], published: 40).steps == all)
        #expect(RepairPlan([older], isRestored: true, published: 40).steps == all)
        let other = IdentityDifference.otherLog(recorded: "c", found: "d")
        #expect(RepairPlan([other, older], isRestored: true, published: 40).steps == Array(all.dropFirst()))
        #expect(RepairPlan([], isRestored: true, published: 40).steps == [.beginGeneration])
        #expect(RepairPlan([], published: 40).steps.isEmpty)
        for difference in [
            .otherStore, .olderStore(published: 100, last: 60), .otherOwner, .topicRecreated("deliveries"),
        ] as [IdentityDifference] {
            #expect(!RepairPlan([difference], published: 100).steps.contains(.beginGeneration))
        }
        #expect(
            RepairPlan([older, .topicRecreated("delivery-state")], published: 40).steps == [.rebuildDelivery] + all)
    }

    /// A store remembers the started steps, and they are in the next plan.
    @Test func stepsAreRememberedAsText() {
        let steps: [RepairPlan.Step] = [
            .skipSequences(through: 77), .restartMatching(topics: ["changes.public", "changes.shared"]),
            .rewindMatching,
            .restartDelivery, .rebuildDelivery, .beginGeneration, .publishSubscriptions, .compareDevices,
            .publishAddresses, .restartCommands,
        ]
        #expect(steps.map { RepairPlan.Step(text: $0.text) } == steps)
        #expect(RepairPlan([.repairUnfinished], published: 0, unfinished: steps).steps == steps)
        #expect(RepairPlan.Step(text: "begun") == nil && RepairPlan.Step(text: "skip-sequences x") == nil)
    }

    // MARK: The topic

    /// The record is found behind any number of entries of refused starts; the owner reads entries beyond the reported
    /// end.
    @Test(arguments: [0, 1, 3, 40]) func theLastRecordIsFound(refused: Int) async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Self.layout.fixedTopics)
            let topic = IdentityTopic(log: memory, layout: Self.layout)
            let time = LogTimestamp(milliseconds: 0)
            #expect(try await topic.record() == nil)
            #expect(try await topic.recordAsOwner(at: time) == nil)
            let writer = try await memory.makeWriter()
            for number in 1...3 {
                try await writer.append([topic.entry(Self.with { $0.published = Int64(number) }, at: time)])
            }
            for _ in 0..<refused { _ = try await topic.recordAsOwner(at: time) }
            #expect(try await topic.record()?.published == 3)
            #expect(try await topic.recordAsOwner(at: time)?.published == 3)
        }
    }

    /// The relay whose claim came first publishes while another one gives its claim up.
    @Test("a relay that gives its claim up takes back nothing that the other one has published", arguments: [0, 1, 3])
    func theRecordThatCameFirstIsPutBack(times: Int64) async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Self.layout.fixedTopics)
            let time = LogTimestamp(milliseconds: 0)
            let topic = IdentityTopic(log: memory, layout: Self.layout)
            let first = Self.with { ($0.owner, $0.published) = (1, 20) }
            let second = Self.with { ($0.owner, $0.published) = (2, 19) }
            @Sendable func publish(_ published: Int64) async throws {
                var record = first
                record.published = published
                let entry = topic.entry(record, at: time)
                try await memory.withWriter { try await $0.append([entry]) }
            }
            let published = Mutex<Int64>(20)
            let log = InterceptedLog(
                memory,
                appending: { entries in
                    // Its own claim, and then what it puts back.
                    let claim = topic.entry(second, at: time)
                    guard entries.contains(where: { $0.key == claim.key && $0.value != claim.value }),
                        published.withLock({ $0 }) < 20 + times
                    else { return }
                    try await publish(
                        published.withLock {
                            $0 += 1; return $0
                        })
                })
            let look = try await topic.look(at: time)
            try await publish(20)
            await #expect(throws: IdentityMismatch.self) {
                try await IdentityTopic(log: log, layout: Self.layout)
                    .claim(second, after: look, readingFrom: look.next, at: time)
            }
            let last = try #require(try await topic.recordAsOwner(at: time))
            #expect(last.owner == 1 && last.published == 20 + times)
        }
    }

    /// A stage waits for the first record, passes while it fits, and is refused by name after a topic was recreated.
    @Test func aStageIsRefusedUntilItFits() async throws {
        try await within {
            let log = MemoryLog()
            _ = try await log.createTopics(Self.layout.fixedTopics)
            let check = IdentityCheck(log: log, layout: Self.layout)
            let topic = IdentityTopic(log: log, layout: Self.layout)
            let waiting = Task { try await check.start.pass() }
            func record() async throws {
                let identity = ScopeIdentity(store: 7, log: try await topic.half(), published: 1)
                try await log.withWriter {
                    try await $0.append([topic.entry(identity, at: LogTimestamp(milliseconds: 0))])
                }
            }
            try await record()
            try await waiting.value
            _ = try await log.deleteTopics([Self.layout.deliveries])
            _ = try await log.createTopics(Self.layout.fixedTopics)
            let error = await #expect(throws: IdentityMismatch.self) { try await check.pass() }
            #expect(error?.differences == [.topicRecreated("deliveries")])
            #expect(error?.description.contains("'fanfare repair'") == true)
            #expect(check.reason == error?.description)
            try await record()
            try await check.pass()
            #expect(check.reason == nil)
        }
    }

    /// A topic that is recreated while a stage works ends all of the stage's work.
    @Test func aStageThatRunsIsEndedByAMismatch() async throws {
        try await within {
            let log = MemoryLog()
            _ = try await log.createTopics(Self.layout.fixedTopics)
            let topic = IdentityTopic(log: log, layout: Self.layout)
            let identity = ScopeIdentity(store: 7, log: try await topic.half(), published: 1)
            try await log.withWriter {
                try await $0.append([topic.entry(identity, at: LogTimestamp(milliseconds: 0))])
            }
            let check = IdentityCheck(log: log, layout: Self.layout)
            await #expect(throws: IdentityMismatch.self) {
                try await check.start(again: .zero).around {
                    _ = try await log.deleteTopics([Self.layout.deliveries])
                    _ = try await log.createTopics(Self.layout.fixedTopics)
                    // Ended by the cancellation.
                    let follower = try await log.follow(TopicPartition(Self.layout.deliveries), from: 0)
                    while true { _ = try await follower.next() }
                }
            }
        }
    }

    /// Partitions that start together wait by one follower of the log, as a log has only so many for one partition, and
    /// the relay needs one to write the record. When the one that reads is cancelled, another reads on.
    @Test func thoseThatWaitForTheRecordReadTheLogOnce() async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Self.layout.fixedTopics)
            let followed = Mutex(0)
            let log = InterceptedLog(
                memory,
                follow: { _, follower in
                    followed.withLock { $0 += 1 }
                    return follower
                })
            let check = IdentityCheck(log: log, layout: Self.layout)
            let reading = Task { try await check.pass() }
            try await eventually("the reader") { check.waiting == 1 }
            let others = (0..<24).map { _ in Task { try await check.pass() } }
            try await eventually("the others") { check.waiting == 25 }
            try await eventually("a follower") { followed.withLock { $0 } > 0 }
            #expect(followed.withLock { $0 } == 1)
            others[0].cancel()
            await #expect(throws: CancellationError.self) { try await others[0].value }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            try await eventually("the next reader") { followed.withLock { $0 } > 1 && check.waiting == 23 }
            #expect(followed.withLock { $0 } == 2)
            let topic = IdentityTopic(log: memory, layout: Self.layout)
            let identity = ScopeIdentity(store: 7, log: try await topic.half(), published: 1)
            try await memory.withWriter {
                try await $0.append([topic.entry(identity, at: LogTimestamp(milliseconds: 0))])
            }
            for other in others.dropFirst() { try await other.value }
            #expect(check.waiting == 0)
        }
    }
}
