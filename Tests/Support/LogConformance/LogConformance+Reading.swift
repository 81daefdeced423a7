import EventLog
import Testing

extension LogConformance {
    static let readingChecks: [Check] = [
        Check("a follower waits for entries and reports the end once") { environment in
            let partition = TopicPartition(try await environment.make("follow"))
            let writer = try await environment.log.makeWriter()
            let follower = try await environment.log.follow(partition, from: 0)
            #expect(try await follower.entriesToEnd().isEmpty)
            async let next = follower.entries(1)
            try await writer.append([OutgoingEntry(partition, "a")])
            #expect(try await next.map(\.text) == ["a"])
            try await writer.append([OutgoingEntry(partition, "b"), OutgoingEntry(partition, "c")])
            #expect(try await follower.entries(2).map(\.text) == ["b", "c"])
        },
        Check("a look at the end reports the end each time, and later entries") { environment in
            let partition = TopicPartition(try await environment.make("look"))
            let writer = try await environment.log.makeWriter()
            try await writer.append([OutgoingEntry(partition, "a"), OutgoingEntry(partition, "b")])
            let look = try await environment.log.look(partition, from: 0)
            #expect(try await look.entriesToEnd().map(\.text) == ["a", "b"])
            for _ in 0..<3 {
                let again = try await look.next()
                #expect(again.entries.isEmpty && again.isAtEnd && again.nextOffset == 2)
            }
            try await writer.append([OutgoingEntry(partition, "c")])
            #expect(try await look.entriesToEnd().map(\.text) == ["c"])
            look.close()
            // Another one of the same partition, at the same time as a follower.
            let follower = try await environment.log.follow(partition, from: 1)
            let other = try await environment.log.look(partition, from: 2)
            #expect(try await other.entriesToEnd().map(\.text) == ["c"])
            #expect(try await follower.entries(2).map(\.text) == ["b", "c"])
            let failure = await #expect(throws: LogError.self) {
                _ = try await environment.log.look(partition, from: 5).next()
            }
            guard case .offsetOutOfRange(partition, requested: 5, bounds: OffsetBounds(start: 0, end: 3))? = failure
            else {
                Issue.record("\(String(describing: failure))")
                return
            }
        },
        Check("a reader by offset goes on, goes back, and reads again after it was closed") { environment in
            let partition = TopicPartition(try await environment.make("reader"))
            let writer = try await environment.log.makeWriter()
            try await writer.append((0..<2500).map { OutgoingEntry(partition, "\($0)", key: $0 % 3 == 0 ? "a" : "b") })
            for key in [nil, "a", "c"] {
                let reader = try await environment.log.reader(of: partition, key: key.map { Array($0.utf8) })
                #expect(reader.bounds == OffsetBounds(start: 0, end: 2500))
                func expectEntries(from start: Int64) async throws {
                    let wanted = (start..<2500).filter { key == nil || key == ($0 % 3 == 0 ? "a" : "b") }
                    let found = try await reader.entriesToEnd(from: start)
                    #expect(found.entries.map(\.offset) == wanted && found.next == 2500)
                    #expect(found.entries.map(\.text) == wanted.map { "\($0)" })
                }
                for start in [0, 1234, 700, 2500] as [Int64] { try await expectEntries(from: start) }
                reader.close()
                try await expectEntries(from: 1999)
                let failure = await #expect(throws: LogError.self) { _ = try await reader.batch(from: 2501) }
                guard
                    case .offsetOutOfRange(partition, requested: 2501, bounds: OffsetBounds(start: 0, end: 2500))? =
                        failure
                else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
                try await expectEntries(from: 2490)
            }
        },
        Check("a reader by offset reports the end each time, and reads later entries") { environment in
            let partition = TopicPartition(try await environment.make("reader-end"))
            let writer = try await environment.log.makeWriter()
            try await writer.append([OutgoingEntry(partition, "0", key: "a"), OutgoingEntry(partition, "1", key: "b")])
            for key in [nil, "a"] {
                let reader = try await environment.log.reader(of: partition, key: key.map { Array($0.utf8) })
                let end = reader.bounds.end
                for _ in 0..<3 {
                    let batch = try await reader.batch(from: end)
                    #expect(batch.entries.isEmpty && batch.isAtEnd && batch.nextOffset == end)
                    #expect(try await reader.first(from: end) == nil)
                }
                try await writer.append([
                    OutgoingEntry(partition, "\(end)", key: "b"), OutgoingEntry(partition, "\(end + 1)", key: "a"),
                    OutgoingEntry(partition, "\(end + 2)", key: "b"),
                ])
                let later = try await reader.entriesToEnd(from: end)
                let wanted = key == nil ? [end, end + 1, end + 2] : [end + 1]
                #expect(later.entries.map(\.text) == wanted.map { "\($0)" })
                #expect(later.entries.map(\.offset) == wanted && later.next == end + 3)
                #expect(reader.bounds == OffsetBounds(start: 0, end: end))
                #expect(try await reader.first(from: 0)?.text == "0")
                #expect(try await reader.first(from: 1)?.offset == (key == nil ? 1 : 3))
            }
        },
        Check("a wait by offset ends with an entry of any key, and throws when it is cancelled or closed") {
            environment in
            let partition = TopicPartition(try await environment.make("reader-wait"))
            let writer = try await environment.log.makeWriter()
            try await writer.append([OutgoingEntry(partition, "0", key: "a")])
            let reader = try await environment.log.reader(of: partition, key: Array("a".utf8))
            try await reader.wait(from: 0)
            var next = try await reader.entriesToEnd(from: 0).next
            #expect(next == 1)
            for key in ["b", "a", "b"] {
                let waiting = Task { [next] in try await reader.wait(from: next) }
                try await writer.append([OutgoingEntry(partition, "\(next)", key: key)])
                try await waiting.value
                let found = try await reader.entriesToEnd(from: next)
                #expect(found.entries.map(\.offset) == (key == "a" ? [next] : []))
                #expect(found.next == next + 1)
                next = found.next
            }
            let cancelled = Task { [next] in try await reader.wait(from: next) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let closed = Task { [next] in try await reader.wait(from: next) }
            // Until the wait has begun, there is nothing to close.
            let closing = Task {
                while !Task.isCancelled {
                    reader.close()
                    await Task.yield()
                }
            }
            await #expect(throws: LogError.closed) { try await closed.value }
            closing.cancel()
            await closing.value
            try await writer.append([OutgoingEntry(partition, "last", key: "a")])
            #expect(try await reader.entriesToEnd(from: next).entries.map(\.text) == ["last"])
        },
        Check("reading in two halves equals reading at once") { environment in
            let partition = TopicPartition(try await environment.make("halves"))
            let writer = try await environment.log.makeWriter()
            try await writer.append((0..<2500).map { OutgoingEntry(partition, "\($0)") })
            let whole = try await environment.log.follow(partition, from: 0).entries(2500)
            let second = try await environment.log.follow(partition, from: 1234).entries(2500 - 1234)
            #expect(whole.map(\.text) == (0..<2500).map { "\($0)" })
            #expect(Array(whole[1234...]) == second)
        },
        Check("an offset beyond the end is out of range") { environment in
            let partition = TopicPartition(try await environment.make("beyond"))
            let failure = await #expect(throws: LogError.self) {
                _ = try await environment.log.follow(partition, from: 5).next()
            }
            guard case .offsetOutOfRange(partition, requested: 5, bounds: OffsetBounds(start: 0, end: 0))? = failure
            else {
                Issue.record("\(String(describing: failure))")
                return
            }
        },
        Check("following an absent topic fails in bounded time", needs: [.topics]) { environment in
            let partition = TopicPartition(environment.name("absent"))
            let failure = await #expect(throws: LogError.self) {
                _ = try await environment.log.follow(partition, from: 0).next()
            }
            guard case .unknownTopic? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            let refused = await #expect(throws: LogError.self) { _ = try await environment.log.reader(of: partition) }
            guard case .unknownTopic? = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
        },
        Check("truncated entries are gone, with an error for a follower among them", needs: [.truncation]) {
            environment in
            let partition = TopicPartition(try await environment.make("truncate"))
            let writer = try await environment.log.makeWriter()
            try await writer.append((0..<10).map { OutgoingEntry(partition, "\($0)") })
            let reader = try await environment.log.reader(of: partition)
            try await environment.log.truncate([partition: 6])
            #expect(try await environment.log.bounds(of: [partition])[partition] == OffsetBounds(start: 6, end: 10))
            #expect(
                try await environment.log.follow(partition, from: 6).entries(4).map(\.text) == ["6", "7", "8", "9"])
            let failure = await #expect(throws: LogError.self) {
                _ = try await environment.log.follow(partition, from: 3).next()
            }
            guard case .offsetOutOfRange(partition, requested: 3, bounds: OffsetBounds(start: 6, end: 10))? = failure
            else {
                Issue.record("\(String(describing: failure))")
                return
            }
            let refused = await #expect(throws: LogError.self) { _ = try await reader.batch(from: 3) }
            #expect(refused == failure)
            #expect(try await reader.entriesToEnd(from: 6).entries.map(\.text) == ["6", "7", "8", "9"])
            try await environment.log.truncate([partition: 10])
            try await writer.append([OutgoingEntry(partition, "10")])
            let last = try await environment.log.follow(partition, from: 10).entries(1)
            #expect(last.map(\.offset) == [10])
        },
        Check("closing a follower ends its waiting, cancelling too") { environment in
            let partition = TopicPartition(try await environment.make("close"))
            let follower = try await environment.log.follow(partition, from: 0)
            #expect(try await follower.entriesToEnd().isEmpty)
            let waiting = Task { try await follower.next() }
            follower.close()
            await #expect(throws: LogError.closed) { _ = try await waiting.value }
            let other = try await environment.log.follow(partition, from: 0)
            #expect(try await other.entriesToEnd().isEmpty)
            let cancelled = Task { try await other.next() }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        },
        Check("a deleted topic ends its followers", needs: [.topics, .deletion]) { environment in
            let topic = try await environment.make("deleted")
            let follower = try await environment.log.follow(TopicPartition(topic), from: 0)
            #expect(try await follower.entriesToEnd().isEmpty)
            async let waiting = follower.next()
            _ = try await environment.log.deleteTopics([topic])
            let failure: LogError?
            do {
                _ = try await waiting
                failure = nil
            } catch {
                failure = error as? LogError
            }
            guard case .unknownTopic? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        },
        Check("many partitions are followed at once, and dropping some disturbs no other") { environment in
            let topic = try await environment.make("many", partitions: 50)
            let writer = try await environment.log.makeWriter()
            var followers: [any LogFollower] = []
            for number in 0..<Int32(50) {
                followers.append(try await environment.log.follow(TopicPartition(topic, number), from: 0))
            }
            try await writer.append((0..<Int32(50)).map { OutgoingEntry(TopicPartition(topic, $0), "first \($0)") })
            for (number, follower) in followers.enumerated() {
                #expect(try await follower.entries(1).map(\.text) == ["first \(number)"])
            }
            for number in stride(from: 0, to: 50, by: 2) { followers[number].close() }
            try await writer.append((0..<Int32(50)).map { OutgoingEntry(TopicPartition(topic, $0), "second \($0)") })
            for number in stride(from: 1, to: 50, by: 2) {
                #expect(try await followers[number].entries(1).map(\.text) == ["second \(number)"])
            }
            let again = try await environment.log.follow(TopicPartition(topic, 0), from: 0)
            #expect(try await again.entries(2).map(\.text) == ["first 0", "second 0"])
        },
    ]
}
