import CloudModel
import RecordService
import RecordStore
import Testing

/// What a process counts of the rows that wait, beside looks at the store that race with commits.
struct OutboxBacklogTests {
    private let backlog = OutboxBacklog(bound: OutboxTotals(rows: 10, bytes: 100))

    private func add(_ rows: Int, at sequence: Int64) {
        backlog.add(
            OutboxTotals(rows: rows, bytes: 10 * rows), after: CommitSequence(sequence - Int64(rows)),
            at: CommitSequence(sequence))
    }

    private func row(_ sequence: Int64) -> OutboxRow {
        OutboxRow(
            sequence: CommitSequence(sequence), destination: .deliveries, key: [1],
            value: [UInt8](repeating: 0, count: 10),
            time: Timestamp(milliseconds: 0))
    }

    @Test("a commit after an empty count is added, whether it is noted before or after the count's end")
    func commitsBesideALook() async throws {
        try await backlog.look {
            add(1, at: 6)
            return ((), (OutboxTotals(), CommitSequence(5)))
        }
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
        add(2, at: 8)
        #expect(backlog.waiting == OutboxTotals(rows: 3, bytes: 30))
    }

    @Test("a commit within a count is added once, whether it is noted before or after the count's end")
    func commitsInALook() async throws {
        try await backlog.look {
            add(1, at: 4)
            return ((), (OutboxTotals(rows: 1, bytes: 10), CommitSequence(5)))
        }
        add(1, at: 5)
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
    }

    @Test("a look that fails, or counts nothing, changes nothing")
    func looksWithoutACount() async throws {
        struct Failed: Error {}
        add(1, at: 1)
        await #expect(throws: Failed.self) {
            try await backlog.look { () async throws -> ((), OutboxBacklog.Count?) in throw Failed() }
        }
        try await backlog.look { ((), nil) }
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
    }

    @Test("rows that are published once more after a failure are taken off once")
    func publishedTwice() {
        add(3, at: 3)
        backlog.published([row(1), row(2)])
        backlog.published([row(1), row(2)])
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
    }

    @Test("rows that are published before their commit is noted do not wait, beside others or alone")
    func publishedBeforeCounted() {
        for sequence in 1...100 as ClosedRange<Int64> {
            backlog.published([row(sequence)])
            add(1, at: sequence)
        }
        #expect(backlog.waiting == OutboxTotals())
        add(1, at: 102)
        backlog.published([row(101)])
        backlog.published([row(102)])
        add(1, at: 101)
        #expect(backlog.waiting == OutboxTotals())
        add(1, at: 103)
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
    }

    @Test("rows of one commit that are published partly before it is noted, and partly after, do not wait")
    func publishedInPart() {
        backlog.published([row(1), row(2)])
        add(3, at: 3)
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
        backlog.published([row(3)])
        #expect(backlog.waiting == OutboxTotals())
        add(1, at: 4)
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
    }

    @Test("rows of other processes that are published before a commit here take nothing off what it adds")
    func publishedForOthers() async throws {
        backlog.published([row(1), row(2)])
        add(1, at: 3)
        #expect(backlog.waiting == OutboxTotals(rows: 1, bytes: 10))
        backlog.published([row(3)])
        try await backlog.look { ((), (OutboxTotals(), CommitSequence(3))) }
        backlog.published([row(4)])
        add(2, at: 6)
        #expect(backlog.waiting == OutboxTotals(rows: 2, bytes: 20))
    }
}
