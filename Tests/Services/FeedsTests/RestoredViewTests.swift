import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import SQLite
import SQLiteLog
import TestSupport
import Testing

@testable import Feeds

/// The view of shared journals outlives a restore of the log from an older copy, with the same cluster and topics.
@Suite struct RestoredViewTests {
    private static let layout = FeedHistory.layout
    private static let journals = TopicPartition(layout.journals, 0)
    private static let key = Array(FeedHistory.user.rawValue.utf8)

    private static func log(_ values: [String]) async throws -> CopiedLog {
        let log = MemoryLog()
        try await log.requireTopics([layout.journalsSpecification])
        let entries = values.map {
            OutgoingEntry(journals, key: key, value: Array($0.utf8), timestamp: LogTimestamp(milliseconds: 1))
        }
        try await log.withWriter { try await $0.append(entries) }
        return CopiedLog(log)
    }

    private static func values(_ view: any KeyedView) async throws -> [String] {
        try await view.entries(of: key, in: journals, from: 0).entries.map {
            String(decoding: $0.value ?? [], as: UTF8.self)
        }
    }

    @Test(
        "the view has what the restored log has, however far that has grown since",
        arguments: [0, 4, 5, 6, 20], ["memory", "file"])
    func restored(_ grown: Int, _ kind: String) async throws {
        try await within {
            let folder = TemporaryFolder()
            let view: any KeyedView =
                kind == "memory" ? MemoryKeyedView() : try SQLiteKeyedView(path: folder.path("view.sqlite"))
            let kept = (0..<5).map { "kept \($0)" }
            let before = try await Self.log(kept + (5..<10).map { "lost \($0)" })
            try await JournalTail(before, layout: Self.layout, view: view).fill()
            #expect(try await Self.values(view).count == 10)

            let held = kept + (0..<grown).map { "new \($0)" }
            let after = try await Self.log(held)
            try await JournalTail(after, layout: Self.layout, view: view).fill()
            #expect(try await Self.values(view) == held)
            await view.close()
        }
    }

    @Test("the view of a log that only grew is not read again", arguments: ["memory", "file"])
    func grown(_ kind: String) async throws {
        try await within {
            let folder = TemporaryFolder()
            let view: any KeyedView =
                kind == "memory" ? MemoryKeyedView() : try SQLiteKeyedView(path: folder.path("view.sqlite"))
            let first = (0..<5).map { "first \($0)" }
            try await JournalTail(try await Self.log(first), layout: Self.layout, view: view).fill()
            // An entry that the view alone has shows that it was kept.
            let mark = try #require(try await view.place(of: Self.journals)?.last)
            #expect(mark.offset == 4)
            let own = LogEntry(
                offset: 0, timestamp: LogTimestamp(milliseconds: 1), key: [1], value: [1], headers: [])
            let place = KeyedPlace(incarnation: 7, next: 5)
            try await view.take(kind == "memory" ? [own] : [], of: Self.journals, to: place)
            #expect(try await view.place(of: Self.journals)?.last == mark)
            let tail = JournalTail(try await Self.log(first + ["second"]), layout: Self.layout, view: view)
            try await tail.fill()
            #expect(try await Self.values(view) == first + ["second"])
            if kind == "memory" {
                #expect(try await view.entries(of: [1], in: Self.journals, from: 0).entries.count == 1)
            }
            await view.close()
        }
    }
}
