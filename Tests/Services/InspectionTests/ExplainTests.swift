import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordService
import TestSupport
import Testing

@testable import Inspection

/// Why a subscription did or did not notify, step by step.
@Suite struct ExplainTests {
    @Test("each reason has its verdict")
    func verdicts() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            let alice = system.alice
            try await system.save("before", 1, alice)
            try await system.subscribe("large", alice, atLeast: 5)
            try await system.save("small", 3, alice)
            var phone = alice
            phone.client = DeviceID(trusted: "phone")
            try await system.save("large", 7, phone)
            try await system.unsubscribe("large", alice)
            try await system.save("after", 8, alice)
            try await system.subscribe("first", alice, firesOnce: true)
            try await system.save("once", 1, alice)
            try await system.settle()
            try await system.save("twice", 1, alice)
            try await system.settle()
            let explainer = Explainer(system.evidence(on: system.log))
            let changes = try await sequences(system)
            func explain(_ record: String, _ id: String) async throws -> Explanation {
                let key = try await explainer.subscription(
                    SubscriptionID(trusted: id), of: alice.user, in: nil)
                return try await explainer.explain(try #require(changes[record]), key)
            }
            for (record, id, words) in [
                ("before", "large", "after the change"), ("small", "large", "does not fire"),
                ("after", "large", "deleted"), ("large", "large", "notified: in the journal"),
                ("small", "all", "notified: in the journal, and phone"), ("once", "first", "notified"),
            ] {
                let explanation = try await explain(record, id)
                #expect(
                    explanation.verdict.description.contains(words) && !explanation.isLost,
                    "\(record) \(id):\n\(explanation.lines.joined(separator: "\n"))")
            }
            let own = try await explain("large", "large")
            #expect(
                own.steps.contains {
                    $0.kind == .device && $0.outcome == .no && $0.text.contains("made the change itself")
                })
            let small = try await explain("small", "large")
            let node = small.steps.first { $0.kind == .predicate }?.details.last
            #expect(node?.outcome == .no && node?.text == "n is at least 5: the record has 3", "\(small.lines)")
            let twice = try await explain("twice", "first")
            guard case .noSubscription(.deleted) = twice.verdict else {
                Issue.record("the subscription ended when it fired: \(twice.lines)")
                return
            }
            // A name that several have.
            await #expect(throws: Explainer.Ambiguity.self) {
                try await explainer.subscription(SubscriptionID(trusted: "all"), of: nil, in: nil)
            }
            await #expect(throws: Explainer.Ambiguity.self) {
                try await explainer.subscription(SubscriptionID(trusted: "nobodys"), of: nil, in: nil)
            }
            let missing = try await explainer.explain(
                CommitSequence(1 << 40),
                SubscriptionKey(user: alice.user!, database: .public, id: SubscriptionID(trusted: "all")))
            #expect(missing.verdict == .noChange)
            await system.stop()
        }
    }

    @Test("a notification that was taken from the journal, or that is hidden from a device there, is reported as lost")
    func losses() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            for name in ["a", "b", "c", "d"] { try await system.save(name, 1, system.bob) }
            try await system.settle()
            let key = SubscriptionKey(user: system.alice.user!, database: .public, id: SubscriptionID(trusted: "all"))
            let device = system.devices[0].device
            let all = try await system.journal(of: key.user)
            let place = try #require(try Tampering.places(all).first)
            var message = try FeedEntry(decoding: all[place].value!)
            guard case .query(let query)? = message.entry else { return }
            // A device does not read what it did itself.
            (message.device, message.epoch) = (device.id.rawValue, device.epoch.rawValue)
            var hidden = all
            hidden[place].value = message.encoded()
            let lost = try Tampering.lost.apply(at: place, all)
            for (entries, verdict) in [
                (lost, Verdict.lostFromJournal), (hidden, Verdict.lostFromFeeds([device.id])),
            ] {
                let log = try await system.tampered(entries, of: key.user)
                let explanation = try await Explainer(system.evidence(on: log)).explain(
                    CommitSequence(query.change), key)
                #expect(
                    explanation.verdict == verdict && explanation.isLost,
                    "\(explanation.lines.joined(separator: "\n"))")
            }
            await system.stop()
        }
    }

    @Test("what the log has is explained by it, before the stages have committed their positions")
    func uncommitted() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            let alice = system.alice
            try await system.subscribe("large", alice, atLeast: 5)
            try await system.save("small", 3, system.bob)
            try await system.settle()
            let change = try #require(try await sequences(system)["small"])
            let key = SubscriptionKey(user: alice.user!, database: .public, id: SubscriptionID(trusted: "all"))
            let all = try await Explainer(system.evidence(on: system.log)).explain(change, key)
            for groups in [[system.groups.matching], [system.groups.delivery]] as [Set<GroupName>] {
                let explained = try await Explainer(system.evidence(on: system.log, without: groups))
                    .explain(change, key)
                #expect(explained.verdict == .notified([system.devices[0].device.id]), "\(explained.lines)")
                #expect(explained.way == all.way && !explained.steps.contains { $0.outcome == .unknown })
            }
            let entries = try await AuditedSystem.entries(system.system.layout.deliveries(of: key.user), system.log)
            try #require(!entries.isEmpty)
            let log = TamperedLog(system.log, [system.system.layout.deliveries(of: key.user): []])
            let early = try await Explainer(system.evidence(on: log, without: [system.groups.matching]))
                .explain(change, key)
            #expect(early.verdict == .waitsForMatching, "\(early.lines)")
            await system.stop()
        }
    }

    @Test("a notification that a policy holds before the feed waits for its time")
    func heldBeforeFeed() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            try await system.subscribe(
                "digest", system.alice, atLeast: 0,
                policy: DeliveryPolicy(.digest(windowSeconds: 3600, count: nil), shapesFeed: true))
            try await system.save("a", 1, system.bob)
            try await system.settle()
            let explainer = Explainer(system.evidence(on: system.log))
            let change = try #require(try await sequences(system)["a"])
            let key = SubscriptionKey(
                user: system.alice.user!, database: .public, id: SubscriptionID(trusted: "digest"))
            let held = try await explainer.explain(change, key)
            guard case .waitsForPolicy(let due) = held.verdict else {
                Issue.record("\(held.lines)")
                return
            }
            #expect(held.lines.contains { $0.contains("its delivery policy holds it before the feed") } && !held.isLost)
            var times: Set<Int64> = []
            for partition in system.evidence(on: system.log).changes {
                times.formUnion(try await AuditedSystem.entries(partition, system.log).map(\.timestamp.milliseconds))
            }
            #expect(times.contains(due.milliseconds - 3_600_000), "\(due) \(times)")
            #expect(try await system.audit().findings.isEmpty)
            await system.stop()
        }
    }

    @Test("a removed user's notification is gone with the user, and not lost")
    func removedUser() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            try await system.save("a", 1, system.bob)
            try await system.settle()
            let explainer = Explainer(system.evidence(on: system.log))
            let change = try #require(try await sequences(system)["a"])
            let key = SubscriptionKey(user: system.alice.user!, database: .public, id: SubscriptionID(trusted: "all"))
            #expect(try await explainer.explain(change, key).verdict != .userRemoved)
            try await system.system.remove(key.user)
            try await system.settle()
            let removed = try await explainer.explain(change, key)
            #expect(removed.verdict == .userRemoved && !removed.isLost, "\(removed.lines)")
            #expect(try await system.audit().findings.isEmpty)
            await system.stop()
        }
    }

    @Test("names that look like findings decide nothing", arguments: ["Concert", "LOST", "once", "notified"])
    func hostileNames(name: String) async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            let id = SubscriptionID(trusted: "LOST: \(name), once")
            try await system.subscribe(id.rawValue, system.alice, type: name)
            let records = ["LOST: it", "once", "notified: \(name)", "Concert"]
            for record in records { try await system.save(record, 1, system.bob, type: name) }
            try await system.settle()
            let key = SubscriptionKey(user: system.alice.user!, database: .public, id: id)
            let changes = try await sequences(system)
            for record in records {
                let healthy = try await Explainer(system.evidence(on: system.log))
                    .explain(try #require(changes[record]), key)
                #expect(healthy.verdict == .notified([system.devices[0].device.id]), "\(healthy.lines)")
            }
            let entries = try await system.journal(of: key.user)
            let place = try #require(try Tampering.places(entries).first)
            guard case .query(let query)? = try FeedEntry(decoding: entries[place].value!).entry else {
                Issue.record("no notification in \(entries.count) entries")
                return
            }
            let log = try await system.tampered(try Tampering.lost.apply(at: place, entries), of: key.user)
            let lost = try await Explainer(system.evidence(on: log)).explain(CommitSequence(query.change), key)
            #expect(lost.verdict == .lostFromJournal && lost.isLost, "\(lost.lines)")
            await system.stop()
        }
    }

    /// The changes by their records' names.
    private func sequences(_ system: AuditedSystem) async throws -> [String: CommitSequence] {
        let evidence = system.evidence(on: system.log)
        var found: [String: CommitSequence] = [:]
        for partition in evidence.changes {
            _ = try await evidence.read(partition) { entry in
                guard let change = try? ChangeEvent(decoding: entry.value ?? []).change() else { return }
                found[change.matched?.name.rawValue ?? ""] = change.sequence
            }
        }
        return found
    }
}
