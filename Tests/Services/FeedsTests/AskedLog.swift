import EventLog
import Synchronization
import TestSupport
import Waiting

/// A log whose questions for bounds are noted, and held back or refused where they name certain partitions.
final class AskedLog: ForwardingLog {
    let base: any EventLog
    let questions = Mutex<[[TopicPartition]]>([])
    let first = Answer<Void>()
    /// Those who have begun to ask, as the test counts them.
    let asked = Mutex(0)
    let hanging: Set<TopicPartition>
    let failing: Set<TopicPartition>
    let holdsFirst: Bool
    /// The number of questions so far.
    var count: Int { questions.withLock { $0.count } }

    init(
        _ base: any EventLog, hanging: Set<TopicPartition> = [], failing: Set<TopicPartition> = [],
        holdsFirst: Bool = false
    ) {
        self.base = base
        self.hanging = hanging
        self.failing = failing
        self.holdsFirst = holdsFirst
    }

    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        let isFirst = questions.withLock { questions in
            questions.append(partitions)
            return questions.count == 1
        }
        if holdsFirst, isFirst { await first.value {} }
        if !hanging.isDisjoint(with: partitions) { await Answer<Void>().value {} }
        if !failing.isDisjoint(with: partitions) { throw LogError.unavailable("no leader") }
        return try await base.bounds(of: partitions)
    }
}
