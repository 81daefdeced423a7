import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordService
import Synchronization
import TestSupport
import Testing

@testable import Inspection

/// An audit finds nothing in correct topics, and each fault that is put into a copy.
@Suite struct AuditTests {
    private func audit(
        _ system: AuditedSystem, _ log: (any EventLog)? = nil, _ plan: AuditPlan = AuditPlan()
    ) async throws -> (done: AuditProgress, findings: [AuditFinding]) {
        try await system.audit(log, plan)
    }

    @Test(
        "every fault is found in a journal, and nothing where there is none",
        arguments: 1...4 as ClosedRange<UInt64>)
    func faults(seed: UInt64) async throws {
        try await within("seed \(seed)") {
            var system = try await AuditedSystem(seed: seed)
            try await system.live(70)
            let clean = try await audit(system)
            #expect(clean.findings.isEmpty, "seed \(seed): \(clean.findings.map(\.line))")
            #expect(clean.done.expected > 40 && clean.done.feeds >= 2 && clean.done.behind == 0, "\(clean.done)")
            let user = system.alice.user!
            let all = try await system.journal(of: user)
            let places = try Tampering.places(all)
            #expect(!places.isEmpty, "seed \(seed)")
            for fault in Tampering.allCases where fault != .unmarked {
                let fit =
                    fault == .exchanged ? try Tampering.ordered(places, all, system.system.layout) : places
                #expect(!fit.isEmpty, "seed \(seed): \(fault)")
                for place in Set([fit.first, fit.last].compactMap { $0 }) {
                    let log = try await system.tampered(try fault.apply(at: place, all), of: user)
                    let found = try await audit(system, log).findings
                    #expect(
                        !found.isEmpty && found.allSatisfy { $0.kind == fault.kind },
                        "seed \(seed): \(fault) at \(place): \(found.map(\.line))")
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
            let user = system.alice.user!
            let all = try await system.journal(of: user)
            let subscriptions = try all.map { entry -> String in
                guard case .query(let query)? = try FeedEntry(decoding: entry.value!).entry else { return "" }
                return query.subscription
            }
            // The notifications of a change, and then those of the next one.
            let places = try Tampering.places(all).filter { subscriptions[$0 + 1] == "all" }
            for (id, kinds) in [("latest", []), ("all", [AuditFinding.Kind.outOfOrder])] {
                let place = try #require(places.last { subscriptions[$0] == id }, "\(subscriptions)")
                let log = try await system.tampered(try Tampering.exchanged.apply(at: place, all), of: user)
                let found = try await audit(system, log).findings
                #expect(found.map(\.kind) == kinds, "\(id): \(found.map(\.line)) \(subscriptions)")
            }
            await system.stop()
        }
    }

    @Test("a journal in which a notification stands for fewer changes than were called for has lost them")
    func lostCovered() async throws {
        try await within {
            let system = try await AuditedSystem.digesting(6)
            #expect(try await audit(system).findings.isEmpty)
            let user = system.alice.user!
            var all = try await system.journal(of: user)
            let place = try #require(
                all.firstIndex { entry in
                    guard case .query(let query)? = try? FeedEntry(decoding: entry.value!).entry else { return false }
                    return query.covered.count == 2
                })
            var message = try FeedEntry(decoding: all[place].value!)
            guard case .query(var query)? = message.entry else { return }
            let change = query.covered.removeLast()
            message.entry = .query(query)
            all[place].value = message.encoded()
            let found = try await audit(system, system.tampered(all, of: user)).findings
            #expect(
                found.map(\.kind) == [.lost] && found.first?.change?.rawValue == change
                    && found.first?.subscription?.rawValue == "digest", "\(found.map(\.line))")
            await system.stop()
        }
    }

    @Test("a writer's repeats are no fault, and a notification that is lost is found by the changes alone")
    func repeatsAndLosses() async throws {
        try await within {
            var system = try await AuditedSystem(seed: 9)
            try await system.live(50)
            let user = system.alice.user!
            let inJournal = try await system.journal(of: user)
            func renumbered(_ entries: [LogEntry]) -> [LogEntry] {
                entries.enumerated().map { index, entry in
                    var entry = entry
                    entry.offset = Int64(index)
                    return entry
                }
            }
            // Another instance wrote the last five again, and the second to the fourth behind them.
            let repeated = renumbered(inJournal + inJournal.suffix(5) + inJournal[1..<4])
            let again = try await audit(system, system.tampered(repeated, of: user))
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
            let extended = try await audit(system, system.tampered(renumbered(inJournal + [registered]), of: user))
            #expect(extended.findings.isEmpty, "\(extended.findings.map(\.line))")
            let place = try #require(try Tampering.places(inJournal).first)
            var without = inJournal
            without.remove(at: place)
            let found = try await audit(system, system.tampered(renumbered(without), of: user)).findings
            #expect(found.count == 1 && found.first?.kind == .lost, "\(found.map(\.line))")
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
            let partitions = system.evidence(on: system.log).changes.filter { $0.topic == layout.changes(.public) }
            let bounds = try await system.log.bounds(of: partitions)
            try await system.memory.truncate(bounds.mapValues { $0.end / 2 })
            let trimmed = try await audit(system)
            #expect(trimmed.findings.isEmpty, "\(trimmed.findings.map(\.line))")
            #expect(trimmed.done.since != nil)
            plan = AuditPlan()
            plan.from = Timestamp(milliseconds: 1)
            await #expect(throws: AuditError.self) { try await audit(system, nil, plan) }
            let user = system.alice.user!
            let journal = try await system.journal(of: user)
            try await system.memory.truncate([layout.journals(of: user): journal[9].offset])
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
