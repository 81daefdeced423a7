import CloudMessages
import CloudModel
import Continuity
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// The relay publishes only to a log that belongs to its store, and waits while the log is away.
@Suite struct RelayIdentityTests {
    @Test func bothHalvesRecordThePublishedSequence() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let log = try await Relaying.log(rig.service.layout)
            for number in 0..<3 { _ = try await rig.apply(.on("r\(number)", .create)) }
            try await Relaying.publish(rig, to: log)
            let last = try await rig.lastSequence()
            let identity = try await Relaying.confirm(rig, on: log)
            #expect(identity.published == last && identity.store == rig.service.store.incarnation)
            #expect(try await IdentityTopic(log: log, layout: rig.service.layout).record() == identity)
        }
    }

    @Test func aNewStoreIsRefusedByALogThatIsUsed() async throws {
        try await within {
            let old = try await RecordServiceRig()
            let log = try await Relaying.log(old.service.layout)
            _ = try await old.apply(.on("r", .create))
            try await Relaying.publish(old, to: log)
            let new = try await RecordServiceRig()
            let error = await #expect(throws: IdentityMismatch.self) { try await Relaying.confirm(new, on: log) }
            #expect(error?.differences == [.otherStore])
        }
    }

    @Test func aStoreIsRefusedByANewLog() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            _ = try await rig.apply(.on("r", .create))
            try await Relaying.publish(rig, to: try await Relaying.log(rig.service.layout))
            let other = try await Relaying.log(rig.service.layout)
            let error = await #expect(throws: IdentityMismatch.self) { try await Relaying.confirm(rig, on: other) }
            #expect(error?.differences.first == .recordLost)
            #expect(error?.differences.contains { if case .otherLog = $0 { true } else { false } } == true)
        }
    }

    /// A repair works beside a relay that runs, and knows other halves: what it publishes next must not put them back.
    @Test func aRelayThatRunsDoesNotUndoARepair() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            _ = try await rig.apply(.on("r", .create))
            let relay = Task { await OutboxRelay(store: rig.service.store, layout: layout, log: log).run() }
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            _ = try await log.deleteTopics([layout.deliveries])
            _ = try await log.createTopics(layout.fixedTopics)
            let repair = StoreRepair(rig.service, log: log)
            try await repair.begin(.repair)
            try await repair.keepIdentity()
            let topic = IdentityTopic(log: log, layout: layout)
            let mended = try #require(try await topic.record())
            _ = try await rig.apply(.on("s", .create))
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            #expect(try await topic.record()?.log == mended.log)
            _ = try await Relaying.confirm(rig, on: log)
            relay.cancel()
            await relay.value
        }
    }

    /// A topic that is recreated within a moment takes new entries, as if nothing had happened.
    @Test func aRunningRelayNoticesARecreatedTopic() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            _ = try await rig.apply(.on("r", .create))
            let found = Mutex<IdentityMismatch?>(nil)
            let relay = OutboxRelay(
                store: rig.service.store, layout: layout, log: log, comparisonPause: .milliseconds(5),
                compared: { mismatch in found.withLock { $0 = mismatch } })
            let running = Task { await relay.run() }
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            _ = try await log.deleteTopics([layout.commands])
            _ = try await log.createTopics(layout.fixedTopics)
            try await eventually("a refusal") {
                found.withLock { $0?.differences } == [.topicRecreated("commands")]
            }
            running.cancel()
            await running.value
        }
    }

    /// While halves do not belong together nothing is saved: a sequence would be given twice.
    @Test func nothingIsSavedMeanwhile() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            _ = try await rig.apply(.on("r", .create))
            try await Relaying.publish(rig, to: log)
            let service = RecordService(layout: layout, store: rig.service.store, log: log, now: rig.service.now)
            _ = try await log.deleteTopics([layout.deliveries])
            _ = try await log.createTopics(layout.fixedTopics)
            let running = Task { await service.run() }
            try await eventually("a refusal") { service.refusal != nil }
            await expectError(.tryAgainLater, "fanfare repair") {
                _ = try await service.modifyRecords([.on("s", .create)], in: .public, for: rig.alice)
            }
            try await StoreRepair(service, log: log).keepIdentity()
            try await eventually("the relay's return") { service.refusal == nil }
            _ = try await service.modifyRecords([.on("s", .create)], in: .public, for: rig.alice)
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            running.cancel()
            await running.value
        }
    }

    /// A store that was restored from an older copy gives no sequence that the log has.
    @Test func anOlderStoreContinuesAboveTheLog() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            _ = try await rig.apply(.create(.draft("kept")))
            try await Relaying.publish(rig, to: log)
            // What the log has from the time that the copy does not know.
            let topic = IdentityTopic(log: log, layout: layout)
            var identity = try #require(try await topic.record())
            identity.published = 5000
            let lost = SubscriptionKey(user: rig.alice.user!, database: .public, id: SubscriptionID(trusted: "lost"))
            let lostKey = layout.subscriptionKey(lost, CommitSequence(4000))
            try await log.withWriter { [identity] in
                try await $0.append([
                    topic.entry(identity, at: LogTimestamp(milliseconds: 0)),
                    OutgoingEntry(
                        TopicPartition(layout.subscriptions), key: lostKey, value: [],
                        timestamp: LogTimestamp(milliseconds: 0)),
                ])
            }
            let error = await #expect(throws: IdentityMismatch.self) { try await Relaying.confirm(rig, on: log) }
            #expect(error?.differences == [.olderStore(published: 5000, last: 1)])

            let repair = StoreRepair(rig.service, log: log)
            let (found, published) = try await repair.differences()
            guard case .skipSequences(let through)? = RepairPlan(found, published: published).steps.first else {
                Issue.record("the store would use sequences again")
                return
            }
            try await repair.skipSequences(through: through)
            let totals = try await repair.publishSubscriptions()
            #expect(totals == (0, 1))
            try await repair.keepIdentity()
            _ = try await Relaying.confirm(rig, on: log)
            try await Relaying.publish(rig, to: log)
            let entries = try await log.follow(TopicPartition(layout.subscriptions), from: 0).entriesToEnd()
            #expect(entries.last { $0.key == lostKey }?.value == nil)
            #expect(try await rig.lastSequence() > 5000)
        }
    }

    @Test("a repair sends delivery an event for each user: no read waits for events that were lost with deliveries")
    func lostEvents() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let log = try await Relaying.log(rig.service.layout)
            let alice = rig.alice
            let device = try await rig.service.registerDevice(nil, name: "", platform: "", for: alice)
            try await Relaying.publish(rig, to: log)
            let totals = try await StoreRepair(rig.service, log: log).compareDevices(
                with: [(user: alice.user!, device: device.id, epoch: device.epoch)])
            #expect(totals == (0, 0))
            let rows = try await rig.outbox().filter { $0.destination == .deliveries }
            let last = try await rig.service.store.read { try $0.lastDeviceEvent(of: alice.user!) }
            #expect(rows.count == 1 && rows.first?.sequence == last)
        }
    }

    @Test("a repair ends the pasts of subscriptions that the store does not know, and no others")
    func lostPasts() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let log = try await Relaying.log(rig.service.layout)
            let user = rig.alice.user!
            let key = SubscriptionKey(user: user, database: .public, id: SubscriptionID(trusted: "known"))
            try await rig.service.store.write { transaction in
                try transaction.save(
                    StoredSubscription(
                        key: key, created: CommitSequence(3), saved: CommitSequence(4), condition: [], body: []))
            }
            let ended = try await StoreRepair(rig.service, log: log).cancelPasts([
                (user, CommitSequence(3)), (user, CommitSequence(9)), (user, CommitSequence(9)),
            ])
            #expect(ended == 1)
            let events = try await rig.outbox().filter { $0.destination == .deliveries }.map {
                try DeliveryEntry(decoding: $0.value ?? []).event
            }
            #expect(events == [.backfillCancelled(BackfillCancelled(created: 9))])
        }
    }

    @Test("what the store has deleted is not alive again where a lost future took its deletion out of the topic")
    func lostDeletions() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let (log, layout) = (try await Relaying.log(rig.service.layout), rig.service.layout)
            let key = SubscriptionKey(user: rig.alice.user!, database: .public, id: SubscriptionID(trusted: "gone"))
            try await rig.service.store.write { transaction in
                for sequence in [3, 5].map(CommitSequence.init) {
                    try transaction.addSuperseded(
                        SupersededVersion(
                            sequence: sequence, key: layout.subscriptionKey(key, sequence),
                            time: Timestamp(milliseconds: 0), subscription: key, bytes: 1))
                }
            }
            try await log.withWriter {
                try await $0.append(
                    [3, 9].map { sequence in
                        OutgoingEntry(
                            TopicPartition(layout.subscriptions),
                            key: layout.subscriptionKey(key, CommitSequence(sequence)), value: [],
                            timestamp: LogTimestamp(milliseconds: 0))
                    })
            }
            let totals = try await StoreRepair(rig.service, log: log).publishSubscriptions()
            #expect(totals == (1, 1))
            let rows = try await rig.outbox().filter { $0.destination == .subscriptions }
            // A removal comes once more, for changes to wait for.
            #expect(rows.map(\.key) == [9, 5, 9].map { layout.subscriptionKey(key, CommitSequence($0)) })
            #expect(rows.map { $0.value == nil } == [true, false, true])
            let deletion = try SubscriptionEvent(decoding: try #require(rows[1].value))
            #expect(try deletion.saved() == nil && deletion.sequence() == CommitSequence(5))
        }
    }

    @Test("changes after a repair wait until matchers have read that a subscription of the lost future is removed")
    func laterChangesWait() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let (log, layout) = (try await Relaying.log(rig.service.layout), rig.service.layout)
            let key = SubscriptionKey(user: rig.alice.user!, database: .public, id: SubscriptionID(trusted: "lost"))
            let lost = layout.subscriptionKey(key, CommitSequence(9))
            try await log.withWriter {
                try await $0.append([
                    OutgoingEntry(
                        TopicPartition(layout.subscriptions), key: lost, value: [],
                        timestamp: LogTimestamp(milliseconds: 0))
                ])
            }
            let repair = StoreRepair(rig.service, log: log)
            try await repair.skipSequences(through: 9)
            #expect(try await repair.publishSubscriptions() == (0, 1))
            _ = try await rig.apply(.on("after", .create))
            try await Relaying.publish(rig, to: log)
            var waitedFor = CommitSequence.zero
            for number in 0..<layout.partitions {
                let partition = TopicPartition(layout.changes(.public), number)
                for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                    waitedFor = try ChangeEvent(decoding: entry.value!).change().lastSubscription
                }
            }
            let entries = try await log.follow(TopicPartition(layout.subscriptions), from: 0).entriesToEnd()
            let boundary = try #require(
                entries.firstIndex { entry in
                    guard entry.key == TopicLayout.reachedKey, let value = entry.value else { return false }
                    return try! ReachedMessage(decoding: value).sequence >= waitedFor.rawValue
                })
            #expect(waitedFor > CommitSequence(9))
            #expect(entries[..<boundary].contains { $0.key == lost && $0.value == nil })
        }
    }

    @Test("a sync token from what an older copy of the store does not know expires; others are served")
    func lostFutures() async throws {
        let rig = try await RecordServiceRig()
        let log = try await Relaying.log(rig.service.layout)
        @Sendable func changes(since token: String?) async throws -> RecordService.DatabaseFeedPage {
            try await rig.service.databaseChanges(since: token, in: .private, for: rig.alice)
        }
        _ = try await rig.zone(.create, "a")
        let before = try await changes(since: nil).syncToken
        let last = try await rig.lastSequence()
        let lost = rig.service.syncTokens.seal(
            SyncPosition(sequence: CommitSequence(last + 5)), of: .database, in: .private, for: rig.alice.user!)
        try await StoreRepair(rig.service, log: log).skipSequences(through: last + 100)
        _ = try await rig.zone(.create, "b")
        #expect(try await changes(since: before).zones.count == 1)
        let error = await #expect(throws: CloudError.self) { try await changes(since: lost) }
        #expect(error?.code == .changeTokenExpired)
        let after = try await changes(since: nil).syncToken
        _ = try await rig.zone(.create, "c")
        #expect(try await changes(since: after).zones.count == 1)
    }

    /// A version of a subscription is not removed before it is said that it had come.
    @Test func removalsArePublishedFirst() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            _ = try await rig.apply(.create(.draft("s")))
            _ = try await rig.apply(.on("r", .create))
            _ = try await rig.apply(SubscriptionOperation.delete(SubscriptionID(trusted: "s")))
            rig.move(by: .seconds(40 * 86_400))
            try await rig.service.removeSupersededSubscriptions()
            try await Relaying.publish(rig, to: log)
            var reached = CommitSequence.zero
            var tombstones = 0
            for entry in try await log.follow(TopicPartition(layout.subscriptions), from: 0).entriesToEnd() {
                if entry.key == TopicLayout.reachedKey {
                    reached = CommitSequence(try ReachedMessage(decoding: entry.value!).sequence)
                } else if entry.value == nil {
                    tombstones += 1
                    #expect(reached >= TopicLayout.sequence(ofSubscriptionKey: entry.key!)!)
                }
            }
            #expect(tombstones > 0)
        }
    }

    /// A clock that is ahead takes no version from a change that is there still.
    @Test func aClockThatIsAheadRemovesNoVersionThatAChangeNeeds() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.create(.draft("s")))
        _ = try await rig.apply(.on("r", .create))
        let before = rig.now
        _ = try await rig.apply(SubscriptionOperation.delete(SubscriptionID(trusted: "s")))
        rig.move(by: .seconds(40 * 86_400))
        let count = try await rig.outbox().count
        try await rig.service.removeSupersededSubscriptions { before }
        #expect(try await rig.outbox().count == count)
        try await rig.service.removeSupersededSubscriptions { nil }
        #expect(try await rig.outbox().count > count)
    }

    /// Saves wait once too much waits to be published, and go on when it is through.
    @Test func savesWaitForALogThatIsAway() async throws {
        try await within {
            let rig = try await RecordServiceRig()
            var options = RecordService.Options()
            options.outboxMax = OutboxTotals(rows: 3, bytes: 1 << 20)
            let log = try await Relaying.log(rig.service.layout)
            let service = RecordService(
                layout: rig.service.layout, store: rig.service.store, log: log, options: options, now: rig.service.now)
            @Sendable func save(_ name: String) async throws {
                _ = try await service.modifyRecords([.on(name, .create)], in: .public, for: rig.alice)
            }
            for name in ["a", "b", "c"] { try await save(name) }
            await expectError(.tryAgainLater, "wait to be published") { try await save("d") }
            let running = Task { await service.run() }
            try await eventually("an empty outbox") { try await rig.outbox().isEmpty }
            try await eventually("a save") {
                do {
                    try await save("e\(UInt32.random(in: 0 ... .max))")
                    return true
                } catch let error as CloudError where error.code == .tryAgainLater {
                    return false
                }
            }
            running.cancel()
            await running.value
        }
    }

    private func expectError(
        _ code: CloudErrorCode, _ part: String, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("no error")
        } catch let error as CloudError {
            #expect(error.code == code && error.reason.contains(part) && error.retryAfterSeconds != nil, "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }
}
