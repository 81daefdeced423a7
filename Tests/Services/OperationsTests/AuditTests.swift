import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordService
import Synchronization
import TestSupport
import Testing

@testable import Operations

/// An audit finds nothing in correct topics, and each fault that is put into a copy.
@Suite struct AuditTests {
    private func audit(
        _ system: AuditedSystem, _ log: (any EventLog)? = nil, _ plan: AuditPlan = AuditPlan()
    ) async throws -> (done: AuditProgress, findings: [AuditFinding]) {
        try await system.audit(log, plan)
    }

    private func entries(_ partition: TopicPartition, _ log: any EventLog) async throws -> [LogEntry] {
        try await AuditedSystem.entries(partition, log)
    }

    @Test(
        "every fault is found in feeds and journals, and nothing where there is none",
        arguments: 1...4 as ClosedRange<UInt64>)
    func faults(seed: UInt64) async throws {
        try await within("seed \(seed)") {
            var system = try await AuditedSystem(seed: seed)
            try await system.live(70)
            let clean = try await audit(system)
            #expect(clean.findings.isEmpty, "seed \(seed): \(clean.findings.map(\.line))")
            #expect(clean.done.expected > 40 && clean.done.feeds >= 2 && clean.done.behind == 0, "\(clean.done)")
            let layout = system.system.layout
            let topics = [
                layout.feed(system.devices[0].device.id, system.devices[0].device.epoch),
                layout.journal(system.alice.user!),
            ]
            for topic in topics {
                let partition = TopicPartition(topic)
                let all = try await entries(partition, system.memory)
                let places = try Tampering.places(all)
                #expect(!places.isEmpty, "seed \(seed)")
                for fault in Tampering.allCases where fault != .unmarked {
                    for place in Set([places.first, places.last].compactMap { $0 }) {
                        let log = TamperedLog(system.memory, [partition: try fault.apply(at: place, all)])
                        let found = try await audit(system, log).findings
                        #expect(
                            !found.isEmpty && found.allSatisfy { $0.kind == fault.kind },
                            "seed \(seed): \(fault) at \(place) of \(topic): \(found.map(\.line))")
                    }
                }
            }
            await system.stop()
        }
    }

    @Test("a notification that was held before the feed may come after those of later changes")
    func heldOrder() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            try await system.subscribe(
                "latest", system.alice, atLeast: -1,
                policy: DeliveryPolicy(.digest(windowSeconds: 60, count: 1), shapesFeed: true))
            for number in Int64(0)..<12 {
                if number == 6 { try await system.unsubscribe("latest", system.alice) }
                try await system.save("r", number, system.bob)
            }
            try await system.settle()
            #expect(try await audit(system).findings.isEmpty)
            let journal = TopicPartition(system.system.layout.journal(system.alice.user!))
            let all = try await entries(journal, system.memory)
            let subscriptions = try all.map { entry -> String in
                guard case .query(let query)? = try FeedEntry(decoding: entry.value!).entry else { return "" }
                return query.subscription
            }
            // The notifications of a change, and then those of the next one.
            let places = try Tampering.places(all).filter { subscriptions[$0 + 1] == "all" }
            for (id, kinds) in [("latest", []), ("all", [AuditFinding.Kind.outOfOrder])] {
                let place = try #require(places.last { subscriptions[$0] == id }, "\(subscriptions)")
                let log = TamperedLog(system.memory, [journal: try Tampering.exchanged.apply(at: place, all)])
                // The feeds differ from this journal, too.
                let found = try await audit(system, log).findings.filter { $0.device == nil }
                #expect(found.map(\.kind) == kinds, "\(id): \(found.map(\.line)) \(subscriptions)")
            }
            await system.stop()
        }
    }

    @Test("a feed in which a notification stands for fewer changes than in the journal has lost them")
    func lostCovered() async throws {
        try await within {
            let system = try await AuditedSystem.digesting(6)
            #expect(try await audit(system).findings.isEmpty)
            let phone = system.devices[0].device
            let feed = TopicPartition(system.system.layout.feed(phone.id, phone.epoch))
            var all = try await entries(feed, system.memory)
            let place = try #require(
                all.firstIndex { entry in
                    guard case .query(let query)? = try? FeedEntry(decoding: entry.value!).entry else { return false }
                    return query.covered.count == 2
                })
            var message = try FeedEntry(decoding: all[place].value!)
            guard case .query(var query)? = message.entry else { return }
            query.covered.removeLast()
            message.entry = .query(query)
            all[place].value = message.encoded()
            let found = try await audit(system, TamperedLog(system.memory, [feed: all])).findings
            #expect(found.map(\.kind) == [.lost] && found.first?.device == phone.id, "\(found.map(\.line))")
            await system.stop()
        }
    }

    @Test(
        "a feed that is not there is a gap while its device is registered, and none of a device that was removed meanwhile"
    )
    func missingFeed() async throws {
        try await within {
            var system = try await AuditedSystem(seed: 5)
            try await system.live(30)
            await system.stop()
            let layout = system.system.layout
            let device = system.devices[0].device
            let feed = TopicPartition(layout.feed(device.id, device.epoch))
            let memory = system.memory
            let isGone = InterceptedLog(
                memory, boundsReported: { if $0 == [feed] { throw LogError.unknownTopic("\(feed)") } })
            #expect(try await audit(system, isGone).findings.map(\.kind) == [.gap])

            // The device is removed between the reading of the state and that of the feed.
            let key = layout.userKey(device.user)
            let state = TopicPartition(layout.deliveryState, layout.partition(of: key))
            let last = try await entries(state, memory).last { $0.key == key }
            var without = try UserState(decoding: try #require(last?.value))
            without.devices.removeAll { $0.device == device.id.rawValue }
            let entry = OutgoingEntry(
                state, key: key, value: without.encoded(), timestamp: LogTimestamp(milliseconds: 1))
            let isRemoved = InterceptedLog(
                memory,
                boundsReported: {
                    guard $0 == [feed] else { return }
                    try await memory.withWriter { try await $0.append([entry]) }
                    throw LogError.unknownTopic("\(feed)")
                })
            let found = try await audit(system, isRemoved).findings
            #expect(found.isEmpty, "\(found.map(\.line))")
        }
    }

    @Test("a writer's repeats are no fault, and a notification that is lost everywhere is found by the changes alone")
    func repeatsAndLosses() async throws {
        try await within {
            var system = try await AuditedSystem(seed: 9)
            try await system.live(50)
            let layout = system.system.layout
            let feed = TopicPartition(layout.feed(system.devices[0].device.id, system.devices[0].device.epoch))
            let journal = TopicPartition(layout.journal(system.alice.user!))
            let (inFeed, inJournal) = (
                try await entries(feed, system.memory), try await entries(journal, system.memory)
            )
            func renumbered(_ entries: [LogEntry]) -> [LogEntry] {
                entries.enumerated().map { index, entry in
                    var entry = entry
                    entry.offset = Int64(index)
                    return entry
                }
            }
            // Another instance wrote the last five again, and the second to the fourth behind them.
            let repeated = renumbered(inFeed + inFeed.suffix(5) + inFeed[1..<4])
            let again = try await audit(system, TamperedLog(system.memory, [feed: repeated]))
            #expect(again.findings.isEmpty, "\(again.findings.map(\.line))")
            // After its state was lost, stage 2 delivers a registration again, and finds the journal at another end.
            var first = try FeedEntry(decoding: inJournal[0].value!)
            guard case .registered(var mark)? = first.entry else {
                Issue.record("no registration: \(first)")
                return
            }
            mark.journal = try FeedEntry(decoding: inJournal.last!.value!).source
            first.entry = .registered(mark)
            var registered = inJournal[0]
            registered.value = first.encoded()
            let extended = try await audit(
                system, TamperedLog(system.memory, [journal: renumbered(inJournal + [registered])]))
            #expect(extended.findings.isEmpty, "\(extended.findings.map(\.line))")
            // The same notification is gone from the journal and from all feeds.
            let place = try #require(try Tampering.places(inJournal).first)
            let name = try FeedEntry(decoding: inJournal[place].value!).source
            var tampered: [TopicPartition: [LogEntry]] = [:]
            for partition in [journal]
                + system.devices.filter({ $0.caller.user == system.alice.user }).map({
                    TopicPartition(layout.feed($0.device.id, $0.device.epoch))
                })
            {
                let all = try await entries(partition, system.memory)
                tampered[partition] = renumbered(try all.filter { try FeedEntry(decoding: $0.value!).source != name })
            }
            let found = try await audit(system, TamperedLog(system.memory, tampered)).findings
            #expect(
                found.count == 1 && found.first?.kind == .lost && found.first?.device == nil, "\(found.map(\.line))")
            guard case .query(let query)? = try FeedEntry(decoding: inJournal[place].value!).entry else {
                Issue.record("no notification")
                return
            }
            #expect(
                found.first?.change?.rawValue == query.change
                    && found.first?.subscription?.rawValue == query.subscription)
            await system.stop()
        }
    }

    @Test("an audit in passes, of a range or of a device has the same findings; a range that is gone is refused")
    func extents() async throws {
        try await within {
            var system = try await AuditedSystem(seed: 5)
            try await system.live(60)
            let whole = try await audit(system)
            #expect(whole.findings.isEmpty, "\(whole.findings.map(\.line))")
            var plan = AuditPlan()
            plan.expectedMax = 5
            let passes = try await audit(system, nil, plan)
            #expect(passes.findings.isEmpty && passes.done.expected == whole.done.expected, "\(passes)")
            #expect(passes.done.changes > whole.done.changes)
            plan = AuditPlan()
            plan.subscriptionBytesMax = 1
            let divided = try await audit(system, nil, plan)
            #expect(divided.findings.isEmpty && divided.done.expected == whole.done.expected, "\(divided)")
            #expect(divided.done.changes > whole.done.changes)
            plan = AuditPlan()
            plan.devices = [system.devices[0].device.id]
            let one = try await audit(system, nil, plan)
            #expect(one.findings.isEmpty && one.done.feeds == 1 && one.done.expected < whole.done.expected)
            plan.devices = [DeviceID(trusted: "nobodys")]
            await #expect(throws: AuditError.self) { try await audit(system, nil, plan) }
            plan = AuditPlan()
            plan.to = Timestamp(milliseconds: 1)
            let none = try await audit(system, nil, plan)
            #expect(none.findings.isEmpty && none.done.expected == 0)
            // Retention takes the head of everything.
            let layout = system.system.layout
            let partitions = system.evidence(on: system.memory).changes.filter { $0.topic == layout.changes(.public) }
            let bounds = try await system.memory.bounds(of: partitions)
            try await system.memory.truncate(bounds.mapValues { $0.end / 2 })
            let trimmed = try await audit(system)
            #expect(trimmed.findings.isEmpty, "\(trimmed.findings.map(\.line))")
            #expect(trimmed.done.since != nil)
            plan = AuditPlan()
            plan.from = Timestamp(milliseconds: 1)
            await #expect(throws: AuditError.self) { try await audit(system, nil, plan) }
            let journal = TopicPartition(layout.journal(system.alice.user!))
            try await system.memory.truncate([journal: 9])
            #expect(try await audit(system).findings.isEmpty)
            await system.stop()
        }
    }

    @Test("a running system has no differences, however far behind it is")
    func running() async throws {
        try await within {
            var system = try await AuditedSystem(seed: 6)
            let isOver = Atomic(false)
            let copy = system
            let audits = Task {
                var findings: [AuditFinding] = []
                while !isOver.load(ordering: .relaxed) { findings += try await audit(copy).findings }
                return findings
            }
            for _ in 0..<4 { try await system.live(25) }
            isOver.store(true, ordering: .relaxed)
            let findings = try await audits.value
            #expect(findings.isEmpty, "\(findings.map(\.line))")
            await system.stop()
        }
    }
}
