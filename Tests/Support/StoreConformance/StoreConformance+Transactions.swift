import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let transactionChecks: [Check] = [
        Check("a closure that throws leaves nothing behind, and its error is thrown") { environment in
            try await environment.withStore { store in
                let first = try await store.write { try $0.nextSequence() }
                await #expect(throws: Refused.self) {
                    try await store.write { transaction in
                        try transaction.define(type)
                        try transaction.save(record("a"), index: RecordIndex(entries: [], words: ["cat"]))
                        try transaction.appendNext()
                        throw Refused()
                    }
                }
                try await store.untilSettled()
                try await store.read { reader throws in
                    #expect(try reader.record(record("a").id) == nil)
                    #expect(try reader.fieldTypes(of: type) == nil)
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max).isEmpty)
                }
                // Where the refused one was, the order may have a gap.
                #expect(try await store.write { try $0.nextSequence() } > first)
            }
        },
        Check("many writers take sequences of their own, and the outbox has their order") { environment in
            try await environment.withStore { store in
                let sequences = try await withThrowingTaskGroup(of: CommitSequence.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            try await store.write(in: number % 2 == 0 ? .records : .user([alice, bob][number % 4 / 2]))
                            {
                                try $0.appendNext().sequence
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(sequences).count == 200)
                try await store.untilSettled()
                let rows = try await store.read { try $0.outbox(after: .zero, limit: 500, bytesMax: .max) }
                #expect(rows.map(\.sequence) == sequences.sorted())
            }
        },
        Check("a write has higher sequences than those answered before; it reads its last one") { environment in
            try await environment.withStore { store in
                var last = CommitSequence.zero
                for number in 0..<50 {
                    let taken = try await store.write(in: number % 2 == 0 ? .records : .database(alice)) {
                        transaction in
                        #expect(try transaction.lastTaken() == nil)
                        let taken = [try transaction.appendNext().sequence, try transaction.appendNext().sequence]
                        #expect(try transaction.lastTaken() == taken[1])
                        return taken
                    }
                    #expect(last < taken[0] && taken[0] < taken[1])
                    last = taken[1]
                    if number % 10 == 9 {
                        await #expect(throws: Refused.self) {
                            try await store.write { transaction in
                                try transaction.appendNext()
                                throw Refused()
                            }
                        }
                    }
                }
                #expect(try await store.write { try $0.lastTaken() } == nil)
            }
        },
        Check("a reader that has met a settled sequence misses nothing below it") { environment in
            try await environment.withStore { store in
                let writing = Task {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for writer in 0..<4 {
                            group.addTask {
                                let part: StorePart = writer == 0 ? .records : .user([alice, bob, carol][writer - 1])
                                for _ in 0..<60 {
                                    _ = try await store.write(in: part) { try $0.appendNext(.changes(.public)) }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                // A follower goes by the settled sequence, as the relay and tokens do.
                var (followed, found): (CommitSequence, [CommitSequence]) = (.zero, [])
                func follow() async throws {
                    let after = followed
                    let (rows, settled) = try await store.read { reader in
                        (try reader.outbox(after: after, limit: 1000, bytesMax: .max), try reader.settledSequence())
                    }
                    #expect(settled >= followed, "it never goes back")
                    found += rows.map(\.sequence).filter { $0 <= settled }
                    followed = settled
                }
                for _ in 0..<100 { try await follow() }
                try await writing.value
                try await store.untilSettled()
                try await follow()
                let all = try await store.read { try $0.outbox(after: .zero, limit: 1000, bytesMax: .max) }
                #expect(found == all.map(\.sequence) && found.count == 240)
            }
        },
        Check("a closure that throws undoes only itself, also among many") { environment in
            try await environment.withStore { store in
                try await store.write { try $0.define(type) }
                let failures = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            do {
                                try await store.write { transaction in
                                    try transaction.save(record("r\(number)"))
                                    if number % 3 == 0 { throw Refused() }
                                }
                                return false
                            } catch { return error is Refused }
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(failures == 34)
                let found = try await store.read { try $0.records((0..<100).map { record("r\($0)").id }) }
                #expect(Set(found.keys.map(\.name.rawValue)) == Set((0..<100).filter { $0 % 3 != 0 }.map { "r\($0)" }))
            }
        },
        Check("all answers of one closure come from one state") { environment in
            try await environment.withStore { store in
                let writing = Task {
                    for number in 0..<200 {
                        try await store.write { transaction in
                            try transaction.define(RecordType(trusted: "A\(number)"))
                            try transaction.appendNext()
                            try transaction.define(RecordType(trusted: "B\(number)"))
                        }
                    }
                }
                for _ in 0..<50 {
                    try await store.read { reader throws in
                        let rows = try reader.outbox(after: .zero, limit: 1000, bytesMax: .max)
                        #expect(try reader.outboxTotals(after: .zero).rows == rows.count)
                        #expect(try reader.settledSequence() >= rows.last?.sequence ?? .zero)
                        #expect(try reader.schema().types.count % 2 == 0)
                    }
                }
                try await writing.value
            }
        },
        Check("a long read ends when its task is cancelled") { environment in
            try await environment.withStore { store in
                let begun = AsyncStream.makeStream(of: Void.self)
                let reading = Task {
                    try await store.readAtLength(for: "alice") { _, hasToEnd in
                        begun.continuation.yield()
                        while !hasToEnd() {}
                    }
                }
                var iterator = begun.stream.makeAsyncIterator()
                await iterator.next()
                reading.cancel()
                // It ends, with or without an error: the closure may look before the store does.
                _ = await reading.result
                let last = try await store.readAtLength(for: "alice") { reader, _ in try reader.settledSequence() }
                #expect(last == .zero, "another one begins")
            }
        },
    ]
}
