import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordService
import TestSupport
import Testing

@testable import Inspection

/// Losses in partitions of journals from which retention has removed entries.
@Suite struct ExplainLostTests {
    private static let hour: Int64 = 3_600_000

    @Test(
        "where a user has no entries left, the first kept entry of the partition says whether a notification is lost",
        arguments: [(-2, true), (-1, false), (0, false), (2, false), (nil, false)] as [(Int64?, Bool)])
    func nothingLeft(hours: Int64?, isLost: Bool) async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            try await system.save("a", 1, system.bob)
            try await system.settle()
            let notification = try #require(try await notifications(system).first)
            // Another user's entry, appended so many hours after the commit of the change; nil for none.
            let other = UserRecordName(trusted: "_" + String(repeating: "f", count: 32))
            let left = hours.map { hours in
                LogEntry(
                    offset: 0,
                    timestamp: LogTimestamp(milliseconds: notification.delivered.time.milliseconds + hours * Self.hour),
                    key: system.system.layout.userKey(other),
                    value: FeedEntry(user: other.rawValue, entry: .read(ReadMark(change: 0))).encoded(), headers: [])
            }
            let log = try await cut(system, to: left.map { [$0] } ?? [])
            let explanation = try await explain(notification.delivered, system, log)
            #expect(explanation.verdict == (isLost ? .lostFromJournal : .expired), "\(explanation.lines)")
            let found = try await system.audit(log).findings
            let change = notification.delivered.subject?.change
            #expect(found.allSatisfy { $0.kind == .lost }, "\(found.map(\.line))")
            #expect(
                found.contains { $0.user == system.alice.user && $0.change == change } == isLost,
                "\(found.map(\.line))")
            #expect(isLost || found.isEmpty, "\(found.map(\.line))")
            await system.stop()
        }
    }

    @Test("a notification behind a kept one of the user is lost, and one before it may have been removed")
    func orderOfNames() async throws {
        try await within {
            let system = try await AuditedSystem(seed: 1)
            for name in ["a", "b"] { try await system.save(name, 1, system.bob) }
            try await system.settle()
            let all = try await notifications(system)
            try #require(all.count == 2 && all[0].delivered.name.offset < all[1].delivered.name.offset)
            for (kept, sought, verdict) in [(0, 1, Verdict.lostFromJournal), (1, 0, .expired)] {
                let log = try await cut(system, to: [all[kept].entry])
                let explanation = try await explain(all[sought].delivered, system, log)
                #expect(explanation.verdict == verdict, "\(explanation.lines)")
            }
            await system.stop()
        }
    }

    /// The notifications in Alice's journal.
    private func notifications(
        _ system: AuditedSystem
    ) async throws -> [(entry: LogEntry, delivered: DeliveredEntry)] {
        let (layout, user) = (system.system.layout, try #require(system.alice.user))
        return try await AuditedSystem.entries(layout.journals(of: user), system.log)
            .filter { $0.key == layout.userKey(user) }
            .map { (entry: $0, delivered: DeliveredEntry($0, layout)) }
            .filter { $0.delivered.subject != nil }
    }

    /// The log, from which retention has removed all of the partition of Alice's journal, except these entries.
    private func cut(_ system: AuditedSystem, to left: [LogEntry]) async throws -> TamperedLog {
        let partition = system.system.layout.journals(of: try #require(system.alice.user))
        let end = try #require(try await system.memory.bounds(of: [partition])[partition]?.end)
        try await system.memory.truncate([partition: end])
        let entries = left.enumerated().map { index, entry in
            var entry = entry
            entry.offset = end + Int64(index)
            return entry
        }
        return TamperedLog(system.log, [partition: entries])
    }

    private func explain(
        _ notification: DeliveredEntry, _ system: AuditedSystem, _ log: TamperedLog
    ) async throws -> Explanation {
        let key = SubscriptionKey(
            user: try #require(system.alice.user), database: .public, id: SubscriptionID(trusted: "all"))
        return try await Explainer(system.evidence(on: log)).explain(try #require(notification.subject).change, key)
    }
}
