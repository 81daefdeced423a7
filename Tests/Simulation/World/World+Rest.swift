import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore
import SubscriptionMatcher
import Synchronization
import TestSupport

/// Rest: nothing is left to be done.
extension World {
    /// Waits for rest, for five minutes: a reader may ask three times for entries that an old leader lacks, 25 s apart.
    func hasComeToRest() async -> Bool {
        for _ in 0..<3000 where !isAtRest { await Scheduler.shared.pass(.milliseconds(100)) }
        return isAtRest
    }

    /// Returns true if nothing is left to be done: the outbox is empty, and every stage has committed the end of its
    /// input.
    var isAtRest: Bool {
        // Polls call this at each tenth of a second: what did not change is not looked at again, and entries are decoded
        // only after offsets were compared.
        let isLogAtRest = log.contents.withLock { contents in
            restOfLog.withLock { rest in
                if rest?.changes != contents.changes {
                    rest = (contents.changes, hasCommittedEnds(contents) && !hasOpenWork(contents))
                }
                return rest!.isAtRest
            }
        }
        return isLogAtRest && (try? store.outboxCount) == 0 && (log.cuts == 0 || hasKeptRows)
    }

    /// Returns true if every stage has committed the end of its input.
    private func hasCommittedEnds(_ contents: SimulatedContents) -> Bool {
        let matched = contents.committed[SubscriptionMatcher.group(layout)]
        for name in changes {
            guard let topic = contents.topics[name] else { continue }
            for number in topic.partitions.indices where topic.partitions[number].end > 0 {
                guard let last = matched?[TopicPartition(name, Int32(number))]?.last,
                    last.offset == topic.partitions[number].end, last.isOf(topic.incarnation)
                else { return false }
            }
        }
        let delivered = ends(of: layout.deliveries, contents).allSatisfy { number, partition in
            contents.stateOffsets[TopicPartition(layout.deliveryState, number)] == partition.end
        }
        guard delivered, hasCopiedJournals(contents) else { return false }
        guard hasPushes else { return true }
        return ends(of: layout.pushes, contents).allSatisfy { number, partition in
            // Where nothing is left, nothing was ever committed.
            contents.stateOffsets[TopicPartition(layout.pushState, number)] ?? partition.start == partition.end
        }
    }

    /// Returns true if the topics of devices have all that journals have.
    private func hasCopiedJournals(_ contents: SimulatedContents) -> Bool {
        guard layout.hasFeedTopics else { return true }
        return ends(of: layout.journals, contents).allSatisfy { number, partition in
            let state = TopicPartition(layout.feedState, number)
            let rows = (try? contents.latest(state, before: contents.partition(state).end)) ?? [:]
            return contents.stateOffsets[state] == partition.end
                && rows.allSatisfy { key, value in
                    guard key.first != UInt8(ascii: "#"), let user = try? FeedTopicsState(decoding: value) else {
                        return true
                    }
                    return user.pending.isEmpty && user.topics.allSatisfy { $0.next == nil }
                }
        }
    }

    /// Returns true if a position is of another entry than the last one, or a backfill is open, or a push waits.
    private func hasOpenWork(_ contents: SimulatedContents) -> Bool {
        let matched = contents.committed[SubscriptionMatcher.group(layout)]
        let isMatched = changes.allSatisfy { name in
            ends(of: name, contents).allSatisfy { number, partition in
                matched?[TopicPartition(name, number)]?.last?.marks.first
                    == partition.entries.last.map { EntryMark($0) }
            }
        }
        if !isMatched { return true }
        if ends(of: layout.deliveries, contents).contains(where: {
            hasPast(TopicPartition(layout.deliveryState, $0.number), contents)
        }) {
            return true
        }
        return hasPushes
            && ends(of: layout.pushes, contents).contains {
                hasPush(TopicPartition(layout.pushState, $0.number), contents)
            }
    }

    /// The partitions of a topic in which there was ever an entry.
    private func ends(
        of name: TopicName, _ contents: SimulatedContents
    ) -> [(number: Int32, partition: SimulatedContents.Partition)] {
        (contents.topics[name]?.partitions ?? []).enumerated().compactMap { number, partition in
            partition.end == 0 ? nil : (Int32(number), partition)
        }
    }

    /// Returns true if the log has all changes that the store keeps: after a power cut the relay publishes them again.
    private var hasKeptRows: Bool {
        let rows = (try? store.read { try $0.outbox(after: .zero, limit: 10_000, bytesMax: .max) }) ?? []
        let kept = rows.filter { if case .changes = $0.destination { true } else { false } }
        return log.contents.withLock { contents in
            var found: Set<CommitSequence> = []
            for name in changes {
                for partition in contents.topics[name]?.partitions ?? [] {
                    for entry in partition.entries {
                        let event = entry.value.flatMap { try? ChangeEvent(decoding: $0) }
                        if let name = event?.source?.position { found.insert(CommitSequence(name.offset)) }
                    }
                }
            }
            return kept.allSatisfy { found.contains($0.sequence) }
        }
    }

    /// Returns true if a push waits.
    private func hasPush(_ state: TopicPartition, _ contents: SimulatedContents) -> Bool {
        guard let held = try? contents.partition(state) else { return false }
        let rows = (try? contents.latest(state, before: held.end)) ?? [:]
        return rows.contains { key, value in
            key.first != UInt8(ascii: "#") && key.count { $0 == 0 } == 2
                && (try? PushStateMessage(decoding: value))?.waiting != nil
        }
    }

    /// Returns true if a user's backfill is still open.
    private func hasPast(_ state: TopicPartition, _ contents: SimulatedContents) -> Bool {
        hasUser(state, contents) { !$0.backfills.isEmpty }
    }

    /// Indicates whether policies hold notifications.
    var hasHolds: Bool {
        guard policies != nil else { return false }
        return log.contents.withLock { contents in
            ends(of: layout.deliveryState, contents).contains { number, _ in
                hasUser(TopicPartition(layout.deliveryState, number), contents) { user in
                    user.holds.contains { !$0.held.isEmpty }
                }
            }
        }
    }

    /// Returns true if the state of a user has something.
    private func hasUser(
        _ state: TopicPartition, _ contents: SimulatedContents, with condition: (UserState) -> Bool
    ) -> Bool {
        guard let held = try? contents.partition(state) else { return false }
        let states = (try? contents.latest(state, before: held.end)) ?? [:]
        return states.contains { key, value in
            key.first != UInt8(ascii: "#") && (try? UserState(decoding: value)).map(condition) == true
        }
    }

    /// Returns true if the store has applied every command.
    var hasAppliedCommands: Bool {
        for number in 0..<layout.partitions {
            let partition = TopicPartition(layout.commands, number)
            let (end, incarnation) = log.contents.withLock {
                ((try? $0.partition(partition))?.end ?? 0, $0.topics[partition.topic]?.incarnation ?? 0)
            }
            let stored = try? store.read { try $0.position("commands/\(number)") }
            let position = (stored ?? nil).flatMap { try? PositionMessage(decoding: $0).position }
            if end > 0, position?.isOf(incarnation) != true || (position?.offset ?? 0) < end { return false }
        }
        return true
    }
}
