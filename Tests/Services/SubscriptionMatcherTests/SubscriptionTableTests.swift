import CloudMessages
import CloudModel
import EventLog
import Matching
import ProtocolBuffers
import TestSupport
import Testing

@testable import SubscriptionMatcher

/// The table of versions, as `models/subs.pml` has it: repeats by the relay, entries of a relay that was shut out which
/// arrive late, compaction, tombstones of versions that no change can need.
@Suite struct SubscriptionTableTests {
    /// An entry of the topic: a version, or its removal.
    private struct Entry {
        var key: [UInt8]
        var event: SubscriptionEvent?
    }

    /// What a relay that begins again some times leaves in the topic: the first occurrences in their order.
    private static func topic(
        _ history: SubscriptionHistory, _ random: inout SeededGenerator
    ) -> [Entry] {
        let all = history.events.map { Entry(key: $0.topicKey, event: $0.message) }
        var topic: [Entry] = []
        var next = 0
        while next < all.count {
            topic.append(all[next])
            next += 1
            if Int.random(in: 0..<4, using: &random) == 0 { next = Int.random(in: 0...next, using: &random) }
            // A write of the relay before, still under way, arrives now.
            if let late = topic.randomElement(using: &random), Bool.random(using: &random) { topic.append(late) }
            if topic.count > 400 {
                topic += all[next...]
                break
            }
        }
        return topic
    }

    @Test(arguments: 1...60)
    func everyChangeMeetsTheVersionThatWasInEffect(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let history = SubscriptionHistory(random: random, steps: 60)
        let topic = Self.topic(history, &random)
        var table = SubscriptionTable()
        var rest = topic[...]
        for change in history.changes {
            // The waiting rule: at least up to the last event before the change, and any number of entries more.
            while table.reached < change.lastSubscription || Int.random(in: 0..<3, using: &random) == 0 {
                guard let entry = rest.popFirst() else { break }
                try table.apply(key: entry.key, entry.event!)
            }
            #expect(Set(table.hits(of: change)) == history.expected(change), "seed \(seed): change \(change.sequence)")
        }
        for entry in rest { try table.apply(key: entry.key, entry.event!) }
        #expect(table.versionCount == history.events.count)
        #expect(table.reached.rawValue == history.events.last?.sequence ?? 0)
        // Reading old changes again gives the same hits.
        for change in history.changes { #expect(Set(table.hits(of: change)) == history.expected(change)) }
    }

    /// Subscriptions at which a process has died stay out of the index, and the walk is for changes at which one has:
    /// what fires is the same, and each that is looked at by itself could be blamed.
    @Test(arguments: 1...30)
    func suspectsFireAsTheOthersDo(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let history = SubscriptionHistory(random: random, steps: 60)
        var table = SubscriptionTable()
        for (offset, event) in history.events.enumerated() {
            try table.apply(
                key: event.topicKey, event.message, at: Int64(offset),
                isSuspect: Int.random(in: 0..<3, using: &random) == 0)
        }
        for change in history.changes {
            #expect(Set(table.hits(of: change)) == history.expected(change), "seed \(seed): \(change.sequence)")
            #expect(Set(table.hitsByWalk(of: change, nil)) == history.expected(change), "seed \(seed)")
        }
        for event in history.events { table.remove(key: event.topicKey) }
        #expect(table.versionCount == 0)
    }

    /// Read as a set: any order, any repeats, and what compaction has left.
    @Test(arguments: 1...30)
    func theOrderOfReadingDoesNotShow(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let history = SubscriptionHistory(random: random, steps: 60)
        var entries = Self.topic(history, &random)
        entries.shuffle(using: &random)
        var table = SubscriptionTable()
        for entry in entries { try table.apply(key: entry.key, entry.event!) }
        for change in history.changes {
            #expect(Set(table.hits(of: change)) == history.expected(change), "seed \(seed): change \(change.sequence)")
        }
    }

    /// A snapshot is written while events come and versions go; the table that is made of it and of what followed its
    /// beginning is the one that wrote it.
    @Test(arguments: 1...200)
    func aSnapshotOfATableThatChangesMakesTheSameTable(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let history = SubscriptionHistory(random: random, steps: 120)
        guard let oldest = history.changes.randomElement(using: &random)?.sequence else { return }
        var table = SubscriptionTable()
        var applied = 0
        func apply(_ count: Int, to table: inout SubscriptionTable) throws {
            for event in history.events[applied...].prefix(count) {
                try table.apply(
                    key: event.topicKey, event.message, at: Int64(applied),
                    isSuspect: Int.random(in: 0..<5, using: &random) == 0)
                applied += 1
            }
        }
        var removed: [[UInt8]] = []
        func remove(from table: inout SubscriptionTable) {
            for event in history.events[..<applied] where event.sequence < oldest.rawValue {
                guard history.isSuperseded(event, before: oldest), !removed.contains(event.topicKey) else { continue }
                // In the order of their sequences: a deletion goes after what it deleted.
                if Int.random(in: 0..<3, using: &random) == 0 { return }
                table.remove(key: event.topicKey)
                removed.append(event.topicKey)
            }
        }
        try apply(Int.random(in: 0...history.events.count, using: &random), to: &table)
        remove(from: &table)

        let (begun, removedBefore) = (applied, removed.count)
        table.beginSnapshot()
        try apply(Int.random(in: 0..<4, using: &random), to: &table)
        let image = table.image()
        var messages: [SnapshotVersion] = []
        var place = 0
        while place < table.placeCount {
            try apply(Int.random(in: 0..<3, using: &random), to: &table)
            remove(from: &table)
            messages += table.versions(at: place..<place + 3)
            place += 3
        }
        table.endSnapshot()
        try apply(history.events.count, to: &table)

        var other = SubscriptionTable()
        try other.adopt(image)
        var others: [PreparedVersion] = []
        for message in messages {
            let isDeadly = Int.random(in: 0..<10, using: &random) == 0
            if message.isOutside || isDeadly {
                others.append(try PreparedVersion(message, SubscriptionHistory.layout))
            } else {
                try other.place(
                    try PreparedVersion(message, SubscriptionHistory.layout, isIndexed: true), at: Int(message.place))
            }
        }
        other.settle(nil)
        for version in others { other.apply(version, isSuspect: Bool.random(using: &random)) }
        for event in history.events[begun...] { try other.apply(key: event.topicKey, event.message) }
        for key in removed[removedBefore...] { other.remove(key: key) }
        #expect(other.versionCount == table.versionCount, "seed \(seed)")
        for change in history.changes where change.sequence >= oldest {
            #expect(Set(other.hits(of: change)) == history.expected(change), "seed \(seed): change \(change.sequence)")
        }
        for event in history.events { other.remove(key: event.topicKey) }
        #expect(other.versionCount == 0)
        let isVacant = other.isVacant
        #expect(isVacant, "seed \(seed): the index holds what nobody has")
    }

    /// Nobody writes a second entry for a version, under a key that does not name it; a snapshot of such a table is
    /// read all the same.
    @Test func aVersionOfTwoEntriesIsInASnapshot() throws {
        let history = SubscriptionHistory(random: SeededGenerator(seed: 3), steps: 60)
        var table = SubscriptionTable()
        for event in history.events {
            try table.apply(key: event.topicKey, event.message)
            try table.apply(key: Array("other".utf8) + event.topicKey, event.message)
        }
        table.beginSnapshot()
        let (image, messages) = (table.image(), table.versions(at: 0..<table.placeCount))
        var other = SubscriptionTable()
        try other.adopt(image)
        let layout = SubscriptionHistory.layout
        for message in messages where !message.isOutside {
            try other.place(try PreparedVersion(message, layout, isIndexed: true), at: Int(message.place))
        }
        other.settle(nil)
        for message in messages where message.isOutside {
            other.apply(try PreparedVersion(message, layout), isSuspect: false)
        }
        #expect(messages.count == 2 * history.events.count && other.versionCount == history.events.count)
        for change in history.changes { #expect(Set(other.hits(of: change)) == history.expected(change)) }
    }

    /// Tombstones for versions superseded before some change, in the order of their sequences as the record-service
    /// writes them: no change from then on sees a difference, at no moment in between.
    @Test(arguments: 1...40)
    func tombstonesOfSupersededVersionsChangeNothingForLaterChanges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let history = SubscriptionHistory(random: random, steps: 80)
        guard let oldest = history.changes.randomElement(using: &random)?.sequence else { return }
        var table = SubscriptionTable()
        for event in history.events { try table.apply(key: event.topicKey, event.message) }
        var removed = 0
        for event in history.events where event.sequence < oldest.rawValue {
            guard history.isSuperseded(event, before: oldest) else { continue }
            table.remove(key: event.topicKey)
            removed += 1
            for change in history.changes where change.sequence >= oldest {
                #expect(Set(table.hits(of: change)) == history.expected(change), "seed \(seed)")
            }
        }
        #expect(table.versionCount == history.events.count - removed)
        table.remove(key: Array("nothing of ours".utf8))
        #expect(table.versionCount == history.events.count - removed)
    }

    /// G4: sequences alone decide between saved before and deleted after.
    @Test func aSubscriptionIsInEffectFromItsSaveToItsDeletion() throws {
        let key = SubscriptionKey(
            user: SubscriptionHistory.users[0], database: .public, id: SubscriptionID(trusted: "s"))
        let saved = SavedSubscription(
            subscription: SubscriptionHistory.subscription(key, above: 0), created: CommitSequence(10),
            saved: CommitSequence(10))
        var table = SubscriptionTable()
        let save = SubscriptionHistory.Event(key: key, sequence: 10, saved: saved)
        let deletion = SubscriptionHistory.Event(key: key, sequence: 20, saved: nil)
        try table.apply(key: deletion.topicKey, deletion.message)
        try table.apply(key: save.topicKey, save.message)
        func fires(_ sequence: Int64) -> Bool {
            !table.hits(of: SubscriptionHistory.change(sequence, number: 5, after: 0)).isEmpty
        }
        #expect([9, 11, 19, 21].map { fires($0) } == [false, true, true, false])
        #expect(table.reached == CommitSequence(20))
    }

    /// What cannot be read throws and leaves no half of itself behind.
    @Test(arguments: [
        SubscriptionEvent(), SubscriptionEvent(user: "u", database: 1, id: "s"),
        SubscriptionEvent(
            source: SourcePositionMessage(SourcePosition(source: .store(1), offset: 5)), user: "u", database: 9, id: "s"
        ),
        SubscriptionEvent(
            source: SourcePositionMessage(SourcePosition(source: .store(1), offset: 5)), user: "u", database: 1,
            id: "s",
            condition: ConditionMessage()),
        SubscriptionEvent(
            source: SourcePositionMessage(SourcePosition(source: .store(1), offset: 5)), user: "u", database: 1,
            id: "s",
            condition: ConditionMessage(filters: [FilterMessage(comparator: 99)]),
            notificationInfo: NotificationInfoMessage()),
    ])
    func malformedEventsAreRefused(event: SubscriptionEvent) {
        var table = SubscriptionTable()
        #expect(throws: MalformedMessage.self) { try table.apply(key: [1], event) }
        #expect(table.versionCount == 0 && table.reached == .zero)
    }
}

extension SubscriptionTable {
    /// One match after the other, with observations noted at once.
    mutating func hits(of change: Change) -> [FiredSubscription] {
        var space = MatchingSpace()
        let hits = hits(of: change, in: &space)
        note(&space)
        return hits
    }
}
