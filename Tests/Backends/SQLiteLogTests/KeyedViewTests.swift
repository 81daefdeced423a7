import EventLog
import MemoryLog
import SQLiteLog
import TestSupport
import Testing

/// What the backends of keyed views have in common.
@Suite struct KeyedViewTests {
    static let kinds = ["memory", "SQLite"]

    private let folder = TemporaryFolder()
    private let partition = TopicPartition(TopicName("t"), 3)
    private let other = TopicPartition(TopicName("t"), 4)

    private func make(_ kind: String) throws -> any KeyedView {
        kind == "memory" ? MemoryKeyedView() : try SQLiteKeyedView(path: folder.path("view.sqlite"))
    }

    private func entry(_ offset: Int64, _ key: UInt8?, _ value: [UInt8]? = [7]) -> LogEntry {
        LogEntry(
            offset: offset, timestamp: LogTimestamp(milliseconds: offset * 10), key: key.map { [$0] }, value: value,
            headers: [])
    }

    private func offsets(_ view: any KeyedView, _ key: UInt8, from offset: Int64 = 0) async throws -> [Int64] {
        try await view.entries(of: [key], in: partition, from: offset).entries.map(\.offset)
    }

    @Test("the entries of a key come from an offset on, with the view's place at the end", arguments: kinds)
    func reading(_ kind: String) async throws {
        let view = try make(kind)
        #expect(try await view.place(of: partition) == nil)
        #expect(try await view.entries(of: [1], in: partition, from: 5).isAtEnd)
        let entries = [entry(0, 1), entry(1, 2), entry(2, nil), entry(4, 1), entry(5, 8, nil)]
        try await view.take(entries, of: partition, to: KeyedPlace(incarnation: .max, next: 6))
        try await view.take([entry(0, 9)], of: other, to: KeyedPlace(incarnation: .max, next: 1))
        let batch = try await view.entries(of: [1], in: partition, from: 0)
        #expect(batch.entries == [entry(0, 1), entry(4, 1)] && batch.nextOffset == 6 && batch.isAtEnd)
        #expect(try await offsets(view, 1, from: 1) == [4])
        #expect(try await offsets(view, 9) == [])
        #expect(try await view.keys(of: partition).sorted { $0[0] < $1[0] } == [[1], [2]])
        #expect(try await view.place(of: partition) == KeyedPlace(incarnation: .max, next: 6))
        await view.close()
    }

    @Test("an entry without a value removes those of its key before it, and no others", arguments: kinds)
    func removing(_ kind: String) async throws {
        let view = try make(kind)
        try await view.take([entry(0, 1)], of: other, to: KeyedPlace(incarnation: 1, next: 1))
        try await view.take([entry(0, 1), entry(1, 2)], of: partition, to: KeyedPlace(incarnation: 1, next: 2))
        let next = [entry(2, 1), entry(3, 1, nil), entry(4, 1)]
        for entries in [next, next] {
            try await view.take(entries, of: partition, to: KeyedPlace(incarnation: 1, next: 5))
            let (removed, kept) = (try await offsets(view, 1), try await offsets(view, 2))
            #expect(removed == [4] && kept == [1])
            if kind == "memory" { break }
        }
        try await view.take([entry(5, 1, nil)], of: partition, to: KeyedPlace(incarnation: 1, next: 6))
        #expect(try await view.keys(of: partition) == [[2]])
        #expect(try await view.entries(of: [1], in: other, from: 0).entries.count == 1)
        await view.close()
    }

    @Test("an entry comes with the time of its append and its headers", arguments: kinds)
    func appendTimes(_ kind: String) async throws {
        let view = try make(kind)
        var late = entry(0, 1)
        late.appended = LogTimestamp(milliseconds: 777)
        late.headers = [LogHeader("traceparent", "00-a-b-01")]
        try await view.take([late], of: partition, to: KeyedPlace(incarnation: 1, next: 1))
        let found = try await view.entries(of: [1], in: partition, from: 0).entries
        #expect(found.map(\.appended.milliseconds) == [777] && found.map(\.headers) == [late.headers])
        await view.close()
    }

    @Test("many entries come in batches, none missing", arguments: kinds)
    func batches(_ kind: String) async throws {
        let view = try make(kind)
        let entries = (0..<3000).map { entry($0, UInt8($0 % 2)) }
        try await view.take(entries, of: partition, to: KeyedPlace(incarnation: 1, next: 3000))
        var (found, next): ([Int64], Int64) = ([], 0)
        while true {
            let batch = try await view.entries(of: [1], in: partition, from: next)
            found += batch.entries.map(\.offset)
            next = batch.nextOffset
            if batch.isAtEnd { break }
        }
        #expect(found == entries.filter { $0.key == [1] }.map(\.offset) && next == 3000)
        await view.close()
    }

    @Test(
        "trimming and forgetting leave other partitions alone; another incarnation replaces a partition",
        arguments: kinds)
    func forgetting(_ kind: String) async throws {
        let view = try make(kind)
        try await view.take([entry(0, 1), entry(1, 1)], of: partition, to: KeyedPlace(incarnation: 1, next: 2))
        try await view.take([entry(0, 1)], of: other, to: KeyedPlace(incarnation: 1, next: 1))
        try await view.trim(partition, before: 1)
        #expect(try await offsets(view, 1) == [1])
        try await view.take([entry(0, 2)], of: partition, to: KeyedPlace(incarnation: 2, next: 1))
        #expect(try await offsets(view, 1) == [])
        #expect(try await offsets(view, 2) == [0])
        try await view.forget(partition)
        #expect(try await view.place(of: partition) == nil)
        #expect(try await view.keys(of: partition).isEmpty)
        #expect(try await view.entries(of: [1], in: other, from: 0).entries.count == 1)
        await view.close()
    }

    @Test("a file keeps the entries")
    func reopening() async throws {
        let first = try make("SQLite")
        try await first.take([entry(0, 1)], of: partition, to: KeyedPlace(incarnation: 1, next: 1))
        await first.close()
        let second = try make("SQLite")
        #expect(try await second.place(of: partition) == KeyedPlace(incarnation: 1, next: 1))
        #expect(try await offsets(second, 1) == [0])
        await second.close()
    }
}
