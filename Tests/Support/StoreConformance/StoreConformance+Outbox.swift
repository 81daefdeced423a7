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
                    try transaction.appendNext(.deliveries)
                    var tombstone = row(try transaction.nextSequence(), .subscriptions)
                    tombstone.value = nil
                    try transaction.append(tombstone)
                    let far = CommitSequence(tombstone.sequence.rawValue + 70)
                    try transaction.skipSequences(through: far)
                    let next = try transaction.nextSequence()
                    #expect(next > far)
                    // It never goes back.
                    try transaction.skipSequences(through: far)
                    #expect(try transaction.nextSequence() > next)
                }
                try await store.untilSettled()
                try await store.read { reader throws in
                    #expect(try reader.lastCommitTime() == Timestamp(milliseconds: 1234))
                    #expect(
                        try reader.outboxTotals(after: .zero)
                            == OutboxTotals(rows: 2, bytes: row(.zero).value?.count ?? 0))
                    #expect(try reader.subscriptions(after: nil, limit: 5).isEmpty)
                    #expect(try reader.devices(after: nil, limit: 5).isEmpty)
                }
            }
        },
        Check("the outbox keeps rows in order until they are removed") { environment in
            try await environment.withStore { store in
                let destinations: [OutboxRow.Destination] =
                    [.changes(.public), .changes(.private), .changes(.shared), .subscriptions, .deliveries]
                let rows = try await store.write { transaction in
                    var rows = try destinations.map { row(try transaction.nextSequence(), $0) }
                    rows[1].value = nil
                    rows[2].value = []
                    rows[2].key = []
                    for row in rows.reversed() { try transaction.append(row) }
                    return rows
                }
                try await store.untilSettled()
                try await store.read { reader throws in
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max) == rows)
                    #expect(try reader.outbox(after: .zero, limit: 2, bytesMax: .max) == Array(rows[..<2]))
                    // Full once there are so many bytes, however large the last one is.
                    let first = rows[0].value!.count
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: 1) == Array(rows[..<1]))
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: first + 1) == Array(rows[..<4]))
                    #expect(try reader.outbox(after: rows[2].sequence, limit: 10, bytesMax: .max) == Array(rows[3...]))
                    #expect(try reader.lastRemovedSubscription() == .zero)
                }
                let event = CommitSequence(77)
                try await store.write { try $0.removeOutbox(through: rows[2].sequence, lastSubscription: event) }
                try await store.read { reader throws in
                    #expect(try reader.outbox(after: .zero, limit: 10, bytesMax: .max) == Array(rows[3...]))
                    #expect(try reader.lastRemovedSubscription() == event)
                }
                // A relay that comes late takes nothing back.
                let earlier = CommitSequence(event.rawValue - 1)
                try await store.write { try $0.removeOutbox(through: rows[2].sequence, lastSubscription: earlier) }
                #expect(try await store.read { try $0.lastRemovedSubscription() } == event)
                await store.expectRefusal { try $0.append(rows[4]) }
            }
        },
        Check("the last change of a database is its last row's") { environment in
            try await environment.withStore { store in
                let rows = try await store.write { transaction in
                    let rows = [
                        try transaction.appendNext(.changes(.private)), try transaction.appendNext(.changes(.public)),
                        try transaction.appendNext(.subscriptions),
                    ]
                    #expect(try transaction.lastChangeSequence(in: .private, of: alice) == rows[0].sequence)
                    try transaction.removeOutbox(through: rows[2].sequence, lastSubscription: rows[2].sequence)
                    return rows
                }
                try await store.write { transaction throws in
                    #expect(try transaction.lastChangeSequence(in: .private, of: alice) == rows[0].sequence)
                    #expect(try transaction.lastChangeSequence(in: .public, of: alice) == rows[1].sequence)
                }
            }
        },
        Check("a commit with rows wakes every listener, one that was before its wait, too") { environment in
            try await environment.withStore { store in
                var listeners = (0..<2).map { _ in store.outboxChanges().makeAsyncIterator() }
                let first = try await store.write { try $0.appendNext().sequence }
                for number in listeners.indices { #expect(await listeners[number].next() != nil) }
                let waiting = Task {
                    for await _ in store.outboxChanges() {
                        let rows = try await store.read {
                            try $0.outbox(after: first, limit: 1, bytesMax: 1)
                        }
                        if !rows.isEmpty { return true }
                    }
                    return false
                }
                _ = try await store.write { try $0.appendNext() }
                // A listener that came later may have met the second row already: it is waked by the rows there are.
                _ = try await store.write { try $0.appendNext() }
                #expect(try await waiting.value)
            }
        },
        Check("a visitor's rows wake the owner's listener", needs: [.visitors]) { environment in
            try await environment.withStore { store in
                var changes = store.outboxChanges().makeAsyncIterator()
                let visitor = try environment.open(.visitor)
                _ = try await visitor.write { try $0.appendNext() }
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
