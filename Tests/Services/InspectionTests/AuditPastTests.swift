import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordService
import TestSupport
import Testing

@testable import Inspection

/// An audit recomputes backfills, and finds each fault that is put into one.
@Suite struct AuditPastTests {
    private static let always = StartingFrom.time(Timestamp(milliseconds: 0))

    /// A history in which subscriptions begin in the past, are deleted, and made again under the same ID.
    private func system(seed: UInt64) async throws -> AuditedSystem {
        var system = try await AuditedSystem(seed: seed)
        try await system.live(40)
        try await system.subscribe("since", system.alice, atLeast: -1, from: Self.always)
        try await system.subscribe("some", system.alice, atLeast: 4, from: Self.always)
        try await system.subscribe("first", system.bob, firesOnce: true, from: Self.always)
        try await system.live(20)
        try await system.unsubscribe("some", system.alice)
        try await system.subscribe("some", system.alice, atLeast: 4, from: Self.always)
        try await system.live(15)
        try await system.settlePasts()
        return system
    }

    @Test(
        "every fault in a backfill is found, and none without a fault",
        arguments: 1...3 as ClosedRange<UInt64>)
    func faults(seed: UInt64) async throws {
        try await within("seed \(seed)") {
            let system = try await system(seed: seed)
            let clean = try await system.audit()
            #expect(clean.findings.isEmpty, "seed \(seed): \(clean.findings.map(\.line))")
            let user = system.alice.user!
            let all = try await system.journal(of: user)
            let places = try await places(all, system)
            #expect(places.count > 2, "seed \(seed)")
            for fault in Tampering.allCases {
                let fit =
                    fault == .exchanged ? try Tampering.ordered(places, all, system.system.layout) : places
                #expect(!fit.isEmpty, "seed \(seed): \(fault)")
                for place in Set([fit.first, fit.dropFirst(fit.count / 2).first, fit.last].compactMap { $0 }) {
                    let log = try await system.tampered(try fault.apply(at: place, all), of: user)
                    let found = try await system.audit(log).findings
                    #expect(
                        !found.isEmpty && found.allSatisfy { $0.kind == fault.kind },
                        "seed \(seed): \(fault) at \(place): \(found.map(\.line))")
                }
            }
            await system.stop()
        }
    }

    /// The positions in the backfill of the subscription `since`: the end of a deleted one may be missing.
    private func places(_ entries: [LogEntry], _ system: AuditedSystem) async throws -> [Int] {
        let history = try await system.evidence(on: system.log).subscriptions { $0 == system.alice.user! }
        let created = try #require(history.pasts.first { history.versions[$0.version].key.id.rawValue == "since" })
            .created
        return try Tampering.places(entries, arePast: true).filter { place in
            guard case .query(let query)? = try FeedEntry(decoding: entries[place].value!).entry else { return false }
            return query.backfill == created.rawValue
        }
    }

    @Test("a notification that is lost is found by the changes alone, and so is a missing mark")
    func losses() async throws {
        try await within {
            let system = try await system(seed: 8)
            let layout = system.system.layout
            let journal = try await system.journal(of: system.alice.user!)
            let place = try #require(try await places(journal, system).last)
            let tampered = try Tampering.lost.apply(at: place, journal)
            let found = try await system.audit(system.tampered(tampered, of: system.alice.user!)).findings
            #expect(found.map(\.kind) == [.lost], "\(found.map(\.line))")

            // Stage 2's state as it would be without the last mark.
            let key = layout.userKey(system.alice.user!)
            let state = TopicPartition(layout.deliveryState, layout.partition(of: key))
            var entries = try await AuditedSystem.entries(state, system.log)
            let past = try #require(
                try await system.evidence(on: system.log).subscriptions { $0 == system.alice.user! }.pasts.first)
            var last = try #require(entries.last { $0.key == key })
            var user = try UserState(decoding: last.value!)
            user.backfills = [BackfillState(created: past.created.rawValue, partitions: layout.partitions)]
            last.value = user.encoded()
            last.offset = try #require(entries.last).offset + 1
            entries.append(last)
            let held = try await system.audit(TamperedLog(system.log, [state: entries])).findings
            #expect(held.map(\.kind) == [.gap] && held.first?.subscription?.rawValue == "since", "\(held.map(\.line))")
            await system.stop()
        }
    }
}
