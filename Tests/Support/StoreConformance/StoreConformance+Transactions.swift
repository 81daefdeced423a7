import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let transactionChecks: [Check] = [
        Check("a closure that throws leaves nothing behind, and its error is thrown") { environment in
            try await environment.withStore { store in
                _ = try await store.write { try $0.nextSequence() }
                await #expect(throws: Refused.self) {
                    try await store.write { transaction in
                        try transaction.define(type)
                        try transaction.save(record("a"), index: RecordIndex(entries: [], words: ["cat"]))
                        try transaction.append(row(try transaction.nextSequence().rawValue))
                        throw Refused()
                    }
                }
                try await store.read { reader throws in
                    #expect(try reader.record(record("a").id) == nil)
                    #expect(try reader.fieldTypes(of: type) == nil)
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max).isEmpty)
                    #expect(try reader.settledSequence() == CommitSequence(1))
                }
                // The commit order has no gap where the refused one was.
                #expect(try await store.write { try $0.nextSequence() } == CommitSequence(2))
            }
        },
        Check("many writers take turns in the commit order") { environment in
            try await environment.withStore { store in
                let sequences = try await withThrowingTaskGroup(of: CommitSequence.self) { group in
                    for _ in 0..<200 {
                        group.addTask {
                            try await store.write { transaction in
                                let sequence = try transaction.nextSequence()
                                try transaction.append(row(sequence.rawValue))
                                return sequence
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(sequences.map(\.rawValue).sorted() == Array(1...200))
                let rows = try await store.read { try $0.outbox(after: .zero, limit: 500, bytesMax: .max) }
                #expect(rows.map(\.sequence.rawValue) == Array(1...200))
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
                    for _ in 0..<200 {
                        try await store.write { transaction in
                            let sequence = try transaction.nextSequence()
                            try transaction.append(row(sequence.rawValue))
                        }
                    }
                }
                for _ in 0..<50 {
                    try await store.read { reader throws in
                        let rows = try reader.outbox(after: .zero, limit: 1000, bytesMax: .max).count
                        #expect(try reader.settledSequence().rawValue == Int64(rows))
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
