import CloudMessages
import CloudModel
import EventLog

/// Subscriptions with a backfill. Each change in it is delivered once, marked, in the order of its partition and before
/// new changes of the partition; between partitions a backfill has no order.
extension UserAudit {
    func pastSubject(of hit: ExpectedHits.Hit) -> DeliveredEntry.Subject {
        DeliveredEntry.Subject(facts[hit.fact].sequence, pastKey(of: hit.version))
    }

    private func pastKey(of place: Int) -> SubscriptionKey {
        context.history.versions[context.history.pasts[place].version].key
    }

    private func isOnce(_ place: Int) -> Bool {
        context.history.versions[context.history.pasts[place].version].saved?.subscription.condition.firesOnce ?? false
    }

    /// Compares what the journal has of subscriptions' pasts with what the changes call for.
    mutating func comparePasts(_ topic: TopicName) {
        let moved = Set(journal.faults.map(\.entry.offset))
        let known = Dictionary(
            context.history.pasts.indices.map { (context.history.pasts[$0].created, $0) }
        ) { $1 }
        let wanted = Dictionary(grouping: expectedPasts, by: \.version)
        var delivered: [Int: [DeliveredEntry]] = [:]
        for entry in journal.delivered {
            // A creation whose versions are all removed was deleted long ago: nothing is known of it.
            guard let past = entry.past, let place = known[past.created] else { continue }
            guard DeliveredEntry.Subject(past.subject.change, pastKey(of: place)) == past.subject,
                pastKey(of: place).user == user,
                wanted[place, default: []].contains(where: { facts[$0.fact].sequence == past.subject.change })
            else {
                if isJudged(entry) {
                    note(.phantom, entry, topic, "the past of the subscription does not have the change")
                }
                continue
            }
            delivered[place, default: []].append(entry)
        }
        for (place, hits) in wanted.sorted(by: { $0.key < $1.key }) {
            let entries = delivered[place] ?? []
            if isOnce(place) {
                compareOnce(place, hits, entries, topic)
            } else {
                checkGaps(place, hits, entries, topic)
            }
            checkOrder(place, hits, entries.filter { !moved.contains($0.offset) }, topic)
        }
    }

    /// Finds missing notifications: between delivered changes, and all of a share that is delivered and was not
    /// interrupted.
    private mutating func checkGaps(
        _ place: Int, _ hits: [ExpectedHits.Hit], _ delivered: [DeliveredEntry], _ topic: TopicName
    ) {
        // What lacks its mark is there.
        let key = pastKey(of: place)
        let unmarked = journal.delivered.compactMap(\.subject).filter {
            $0.anyChange == DeliveredEntry.Subject(.zero, key)
        }
        let there = Set(delivered.compactMap(\.change) + unmarked.map(\.change))
        for (partition, share) in Dictionary(grouping: hits, by: { facts[$0.fact].partition }) {
            let share = share.sorted { facts[$0.fact].sequence < facts[$1.fact].sequence }
            let isDelivered = share.map { there.contains(facts[$0.fact].sequence) }
            let isWhole = isRequired(place, in: partition)
            let first = journal.start == 0 ? 0 : isDelivered.firstIndex(of: true) ?? share.count
            let end = isWhole ? share.count : (isDelivered.lastIndex(of: true) ?? 0)
            guard first < end else { continue }
            for index in first..<end where !isDelivered[index] && !isExcused(share[index]) {
                note(lost: share[index], of: key, topic, "it is not in the journal, as the subscription's past")
            }
        }
    }

    /// Compares a subscription that fires once: it fires on one change of its past, if there is one.
    private mutating func compareOnce(
        _ place: Int, _ hits: [ExpectedHits.Hit], _ delivered: [DeliveredEntry], _ topic: TopicName
    ) {
        for entry in delivered.dropFirst() {
            note(.doubled, entry, topic, "the subscription fires once, and has at \(delivered[0].offset)")
        }
        guard delivered.isEmpty, let first = hits.first(where: { !isExcused($0) }),
            hits.allSatisfy({ isRequired(place, in: facts[$0.fact].partition) })
        else { return }
        let key = pastKey(of: place)
        guard !journal.delivered.contains(where: { $0.subject?.anyChange == DeliveredEntry.Subject(.zero, key) }) else {
            return
        }
        note(lost: first, of: key, topic, "the subscription fires once, and has not")
    }

    /// Compares the delivered entries with the order of each partition, and with new hits of the same subscription.
    private mutating func checkOrder(
        _ place: Int, _ hits: [ExpectedHits.Hit], _ delivered: [DeliveredEntry], _ topic: TopicName
    ) {
        let partitions = Dictionary(hits.map { (facts[$0.fact].sequence, facts[$0.fact].partition) }) { $1 }
        let past = context.history.pasts[place]
        let firstNew = firstNew(of: past)
        var last: [TopicPartition: CommitSequence] = [:]
        for entry in delivered {
            guard let change = entry.change, let partition = partitions[change] else { continue }
            if let new = firstNew[partition], new < entry.offset {
                note(
                    .outOfOrder, entry, topic,
                    "it is of the backfill, and comes after a new one of its partition, at \(new)")
            } else if let before = last[partition], before > change {
                note(.outOfOrder, entry, topic, "it stands behind change \(before), which was committed later")
            } else {
                last[partition] = change
            }
        }
    }

    /// The offsets of the first new notifications of a subscription in the journal, by the partition of their changes.
    private func firstNew(of past: SubscriptionHistory.Past) -> [TopicPartition: Int64] {
        var own: [DeliveredEntry.Subject: TopicPartition] = [:]
        for hit in expected where context.history.versions[hit.version].created == past.created {
            let fact = facts[hit.fact]
            own[DeliveredEntry.Subject(fact.sequence, context.history.versions[hit.version].key)] = fact.partition
        }
        var first: [TopicPartition: Int64] = [:]
        for entry in journal.delivered {
            guard let subject = entry.subject, subject.change > past.created, let partition = own[subject] else {
                continue
            }
            first[partition] = first[partition] ?? entry.offset
        }
        return first
    }

    /// Finds subscriptions whose backfill is delivered, and whose new hits still wait.
    /// - Parameter unfinished: the creations of those for which stage 2 waits for marks.
    mutating func checkMarks(_ unfinished: Set<CommitSequence>, _ topic: TopicName) {
        guard !unfinished.isEmpty else { return }
        for place in context.history.pasts.indices {
            let past = context.history.pasts[place]
            let key = pastKey(of: place)
            guard key.user == user, unfinished.contains(past.created), !past.isDeleted,
                !context.frontier.pendingMarks.contains(past.created)
            else { continue }
            let partitions = (0..<context.layout.partitions).map {
                TopicPartition(context.layout.changes(key.database), $0)
            }
            if partitions.allSatisfy({ context.frontier.isPastDelivered(past, of: $0) }) {
                noteMissingMark(of: key, topic)
            }
        }
    }

    /// Returns true if all that a partition has of a past must be in the journal.
    private func isRequired(_ place: Int, in partition: TopicPartition) -> Bool {
        let past = context.history.pasts[place]
        return journal.start == 0 && !past.isDeleted && context.frontier.isPastDelivered(past, of: partition)
            && !context.frontier.isSetAside(context.history.versions[past.version], context.layout)
    }

    private func isExcused(_ hit: ExpectedHits.Hit) -> Bool {
        let fact = facts[hit.fact]
        return fact.isPastSetAside || omitted[fact.sequence] != nil
            || restFrom[fact.partition].map { $0 <= fact.sequence } ?? false
            || context.frontier.pending.contains(Frontier.Pending(user: user, change: fact.sequence))
    }
}
