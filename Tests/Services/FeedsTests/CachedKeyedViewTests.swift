import EventLog
import Feeds
import MemoryLog
import Synchronization
import TestSupport
import Testing

/// The newest entries, cached in memory before a view.
@Suite struct CachedKeyedViewTests {
    private struct Failure: Error {}

    /// A view that counts its reads and fails on demand.
    private final class Watched: KeyedView {
        enum Fault { case none, before, after }

        private let view = MemoryKeyedView()
        private let state = Mutex((reads: 0, fault: Fault.none))

        var reads: Int { state.withLock { $0.reads } }

        func failNext(_ fault: Fault) { state.withLock { $0.fault = fault } }

        func place(of partition: TopicPartition) async throws -> KeyedPlace? { try await view.place(of: partition) }

        func take(_ entries: [LogEntry], of partition: TopicPartition, to place: KeyedPlace) async throws {
            let fault = state.withLock { state in
                defer { state.fault = .none }
                return state.fault
            }
            if fault == .before { throw Failure() }
            try await view.take(entries, of: partition, to: place)
            if fault == .after { throw Failure() }
        }

        func trim(_ partition: TopicPartition, before offset: Int64) async throws {
            try await view.trim(partition, before: offset)
        }

        func forget(_ partition: TopicPartition) async throws { try await view.forget(partition) }

        func entries(of key: [UInt8], in partition: TopicPartition, from offset: Int64) async throws -> LogBatch {
            state.withLock { $0.reads += 1 }
            return try await view.entries(of: key, in: partition, from: offset)
        }

        func keys(of partition: TopicPartition) async throws -> [[UInt8]] { try await view.keys(of: partition) }

        func close() async { await view.close() }
    }

    private let partition = TopicPartition(TopicName("journals"), 1)

    private func entry(_ offset: Int64, _ key: UInt8?, _ value: [UInt8] = [7]) -> LogEntry {
        LogEntry(
            offset: offset, timestamp: LogTimestamp(milliseconds: offset), key: key.map { [$0] }, value: value,
            headers: [])
    }

    /// All of a key from an offset on, and the place behind it.
    private func all(
        _ view: some KeyedView, _ key: UInt8, from offset: Int64
    ) async throws -> (offsets: [Int64], next: Int64) {
        var (found, next): ([Int64], Int64) = ([], offset)
        while true {
            let batch = try await view.entries(of: [key], in: partition, from: next)
            found += batch.entries.map(\.offset)
            next = batch.nextOffset
            if batch.isAtEnd { return (found, next) }
        }
    }

    @Test("A reader at the end reads memory alone, and a reader from before reads the view") func asks() async throws {
        let inner = Watched()
        try await inner.take([entry(0, 1)], of: partition, to: KeyedPlace(incarnation: 1, next: 1))
        let view = CachedKeyedView(inner)
        #expect(try await view.place(of: partition) == KeyedPlace(incarnation: 1, next: 1))
        #expect(try await all(view, 1, from: 1) == ([], 1))
        try await view.take([entry(1, 1), entry(2, 2)], of: partition, to: KeyedPlace(incarnation: 1, next: 4))
        #expect(try await all(view, 1, from: 1) == ([1], 4))
        #expect(try await all(view, 3, from: 2) == ([], 4))
        #expect(inner.reads == 0)
        #expect(try await all(view, 1, from: 0) == ([0, 1], 4))
        #expect(inner.reads == 1)
    }

    @Test("Memory keeps no more than its bound: older entries are left to the view") func bounds() async throws {
        let inner = Watched()
        let view = CachedKeyedView(inner, bytesMax: 100_000)
        for offset in 0..<1000 as Range<Int64> {
            try await view.take(
                [entry(offset, 1, [UInt8](repeating: 1, count: 840))], of: partition,
                to: KeyedPlace(incarnation: 1, next: offset + 1))
        }
        // A thousand bytes each: of a hundred at most, the younger half is there in any case.
        #expect(try await all(view, 1, from: 951).offsets == Array(951..<1000))
        #expect(inner.reads == 0)
        #expect(try await all(view, 1, from: 899).offsets == Array(899..<1000))
        #expect(inner.reads > 0)
    }

    @Test("Memory keeps no more of a large batch than its bound") func boundsOfABatch() async throws {
        let inner = Watched()
        let view = CachedKeyedView(inner, bytesMax: 100_000)
        let entries = (0..<1000 as Range<Int64>).map { entry($0, 1, [UInt8](repeating: 1, count: 840)) }
        try await view.take(entries, of: partition, to: KeyedPlace(incarnation: 1, next: 1000))
        #expect(try await all(view, 1, from: 951).offsets == Array(951..<1000))
        #expect(inner.reads == 0)
        #expect(try await all(view, 1, from: 899).offsets == Array(899..<1000))
        #expect(inner.reads > 0)
    }

    @Test("Batches from memory are as large as the view's, none missing") func batches() async throws {
        let inner = Watched()
        let view = CachedKeyedView(inner)
        try await view.take(
            (0..<1000).map { entry($0, UInt8($0 % 2)) }, of: partition, to: KeyedPlace(incarnation: 1, next: 1000))
        let first = try await view.entries(of: [0], in: partition, from: 0)
        #expect(first.entries.count == 250 && !first.isAtEnd)
        #expect(try await all(view, 0, from: 0) == (Array(stride(from: 0, to: 1000, by: 2)), 1000))
        let large = (1000..<1003).map { entry($0, 0, [UInt8](repeating: 1, count: 1_500_000)) }
        try await view.take(large, of: partition, to: KeyedPlace(incarnation: 1, next: 1003))
        let batch = try await view.entries(of: [0], in: partition, from: 1000)
        #expect(batch.entries.count == 2 && batch.nextOffset == 1002 && !batch.isAtEnd)
        #expect(inner.reads == 0)
    }

    @Test(
        "After any takes, trims, forgets and failures, reads return the taken entries",
        arguments: 1...60 as ClosedRange<UInt64>)
    func histories(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let inner = Watched()
        let view = CachedKeyedView(inner, bytesMax: Int.random(in: 400...6000, using: &random))
        var (entries, next, incarnation): ([(offset: Int64, key: UInt8)], Int64, UInt64) = ([], 0, 1)
        for _ in 0..<200 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                var taken: [LogEntry] = []
                var to = next
                for _ in 0..<Int.random(in: 0...5, using: &random) {
                    // Some offsets are a transaction's marks, and some entries have no key.
                    to += Int64.random(in: 0...1, using: &random)
                    taken.append(entry(to, Bool.random(using: &random) ? UInt8.random(in: 0...2, using: &random) : nil))
                    to += 1
                }
                to += Int64.random(in: 0...1, using: &random)
                let fault: Watched.Fault = [.none, .none, .none, .none, .before, .after].randomElement(using: &random)!
                inner.failNext(fault)
                let outcome: Result<Void, any Error>
                do {
                    outcome = .success(
                        try await view.take(taken, of: partition, to: KeyedPlace(incarnation: incarnation, next: to)))
                } catch {
                    outcome = .failure(error)
                }
                #expect((try? outcome.get()) == nil ? fault != .none : fault == .none, "seed \(seed)")
                if fault != .before {
                    entries += taken.compactMap { entry in entry.key.map { (entry.offset, $0[0]) } }
                    next = to
                }
                // As the tail does: it restarts at the view's position.
                if fault != .none {
                    let place = try await view.place(of: partition)
                    #expect(place?.next ?? 0 == next, "seed \(seed)")
                }
            case 9:
                let offset = Int64.random(in: 0...next, using: &random)
                try await view.trim(partition, before: offset)
                entries.removeAll { $0.offset < offset }
            case 10 where Int.random(in: 0..<4, using: &random) == 0:
                try await view.forget(partition)
                entries = []
                incarnation += UInt64.random(in: 0...1, using: &random)
                next = Int64.random(in: 0...next, using: &random)
                try await view.take([], of: partition, to: KeyedPlace(incarnation: incarnation, next: next))
            default:
                let key = UInt8.random(in: 0...3, using: &random)
                let from = Int64.random(in: max(0, next - 30)...next, using: &random)
                let due = entries.filter { $0.key == key && $0.offset >= from }.map(\.offset)
                #expect(try await all(view, key, from: from) == (due, next), "seed \(seed)")
            }
        }
    }

    @Test(
        "A follower of a key meets each entry once and in order while entries are taken, and takes fail",
        arguments: 1...5 as ClosedRange<UInt64>)
    func following(_ seed: UInt64) async throws {
        let inner = Watched()
        let view = CachedKeyedView(inner, bytesMax: 20_000)
        let (end, keys) = (Int64(2000), UInt8(4))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = SeededGenerator(seed: seed)
                var next: Int64 = 0
                while next < end {
                    let to = min(end, next + Int64.random(in: 1...9, using: &random))
                    inner.failNext([.none, .none, .none, .before, .after].randomElement(using: &random)!)
                    do {
                        try await view.take(
                            (next..<to).map { entry($0, UInt8($0 % Int64(keys))) }, of: partition,
                            to: KeyedPlace(incarnation: 1, next: to))
                        next = to
                    } catch {
                        next = try await view.place(of: partition)?.next ?? 0
                    }
                    await Task.yield()
                }
            }
            for key in 0..<keys {
                group.addTask {
                    var (found, next): ([Int64], Int64) = ([], 0)
                    while next < end {
                        let batch = try await view.entries(of: [key], in: partition, from: next)
                        found += batch.entries.map(\.offset)
                        next = batch.nextOffset
                        await Task.yield()
                    }
                    #expect(found == Array(stride(from: Int64(key), to: end, by: Int(keys))), "seed \(seed)")
                }
            }
            try await group.waitForAll()
        }
    }
}
