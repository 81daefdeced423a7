import CloudModel
import RecordStore
import Testing

extension StoreConformance {
    static let outboxChecks: [Check] = [
        Check("what keeps store, clock and log in step") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    #expect(try transaction.lastCommitTime() == Timestamp(milliseconds: 0))
                    #expect(try transaction.outboxTotals(after: .zero) == OutboxTotals())
                    try transaction.noteCommitTime(Timestamp(milliseconds: 1234))
                    #expect(try transaction.serviceClock() == nil)
                    let late = StoredClock(time: Timestamp(milliseconds: 50), wall: Timestamp(milliseconds: 7))
                    try transaction.noteServiceClock(late)
                    let early = StoredClock(time: Timestamp(milliseconds: 49), wall: Timestamp(milliseconds: 900))
                    try transaction.noteServiceClock(early)
                    #expect(try transaction.serviceClock() == late, "it never goes back")
                    var tombstone = row(2, .subscriptions)
                    tombstone.value = nil
                    try transaction.append(row(1, .deliveries))
                    try transaction.append(tombstone)
                    try transaction.skipSequences(through: CommitSequence(70))
                    #expect(try transaction.nextSequence() == CommitSequence(71))
                    // It never goes back.
                    try transaction.skipSequences(through: CommitSequence(70))
                    #expect(try transaction.nextSequence() == CommitSequence(72))
                }
                try await store.read { reader throws in
                    #expect(try reader.lastCommitTime() == Timestamp(milliseconds: 1234))
                    #expect(
                        try reader.outboxTotals(after: .zero)
                            == OutboxTotals(rows: 2, bytes: row(1, .deliveries).value?.count ?? 0))
                    #expect(try reader.subscriptions(after: nil, limit: 5).isEmpty)
                    #expect(try reader.devices(after: nil, limit: 5).isEmpty)
                }
            }
        },
        Check("the outbox keeps rows in order until they are removed") { environment in
            try await environment.withStore { store in
                let destinations: [OutboxRow.Destination] =
                    [.changes(.public), .changes(.private), .changes(.shared), .subscriptions, .deliveries]
                var rows = destinations.enumerated().map { row(Int64($0.offset + 1), $0.element) }
                rows[1].value = nil
                rows[2].value = []
                rows[2].key = []
                try await store.write { [rows] transaction in
                    for row in rows.reversed() { try transaction.append(row) }
                }
                try await store.read { [rows] reader throws in
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max) == rows)
                    #expect(try reader.outbox(after: .zero, limit: 2, bytesMax: .max) == Array(rows[..<2]))
                    // Full once there are so many bytes, however large the last one is.
                    let first = rows[0].value!.count
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: 1) == Array(rows[..<1]))
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: first + 1) == Array(rows[..<4]))
                    #expect(try reader.outbox(after: CommitSequence(3), limit: 10, bytesMax: .max) == Array(rows[3...]))
                }
                try await store.write { try $0.removeOutbox(through: CommitSequence(3), lastSubscription: .zero) }
                let left = try await store.read { try $0.outbox(after: .zero, limit: 10, bytesMax: .max) }
                #expect(left == Array(rows[3...]))
                await store.expectRefusal { try $0.append(row(5)) }
            }
        },
        Check("the last change of a database is its last row's") { environment in
            try await environment.withStore { store in
                try await store.write { transaction in
                    try transaction.append(row(1, .changes(.private)))
                    try transaction.append(row(2, .changes(.public)))
                    try transaction.append(row(3, .subscriptions))
                    try transaction.removeOutbox(through: CommitSequence(3), lastSubscription: .zero)
                }
                try await store.read { reader throws in
                    #expect(try reader.lastChangeSequence(in: .private) == CommitSequence(1))
                    #expect(try reader.lastChangeSequence(in: .public) == CommitSequence(2))
                }
            }
        },
        Check("a commit with rows wakes every listener, one that was before its wait, too") { environment in
            try await environment.withStore { store in
                var listeners = (0..<2).map { _ in store.outboxChanges().makeAsyncIterator() }
                try await store.write { try $0.append(row(1)) }
                for number in listeners.indices { #expect(await listeners[number].next() != nil) }
                let waiting = Task {
                    for await _ in store.outboxChanges() {
                        let rows = try await store.read {
                            try $0.outbox(after: CommitSequence(1), limit: 1, bytesMax: 1)
                        }
                        if !rows.isEmpty { return true }
                    }
                    return false
                }
                try await store.write { try $0.append(row(2)) }
                // A listener that came later may have met the second row already: it is waked by the rows there are.
                try await store.write { try $0.append(row(3)) }
                #expect(try await waiting.value)
            }
        },
        Check("a visitor's rows wake the owner's listener", needs: [.visitors]) { environment in
            try await environment.withStore { store in
                var changes = store.outboxChanges().makeAsyncIterator()
                let visitor = try environment.open(.visitor)
                try await visitor.write { try $0.append(row(1)) }
                #expect(await changes.next() != nil)
                await visitor.close()
            }
        },
        Check("a listener ends when its task is cancelled") { environment in
            try await environment.withStore { store in
                let waiting = Task { for await _ in store.outboxChanges() {} }
                waiting.cancel()
                await waiting.value
            }
        },
    ]
}
