package import CloudMessages
package import EventLog
package import Stages
import Synchronization
import Telemetry
import Timing
import Waiting

/// Compares the identity record with the log, for stages that do not have the store. The relay, which has both, writes
/// the record and compares the rest.
package final class IdentityCheck: Sendable {
    static let refusals = Counter(
        "fanfare_stage_refused_starts_total",
        "Starts that were refused as store, log and topics do not belong together: 'fanfare repair' shows what would mend it."
    )

    private let log: any EventLog
    private let layout: TopicLayout
    private let topic: IdentityTopic
    /// The comparison that is under way: stages and partitions that begin together share it.
    private let comparison = Mutex<Task<Bool, any Error>?>(nil)
    /// Those that wait while one reads the log for all; nil while nobody reads it.
    private let line = Mutex<[Answer<Bool>]?>(nil)
    private let refusal = Mutex<IdentityMismatch?>(nil)

    package init(log: any EventLog, layout: TopicLayout) {
        self.log = log
        self.layout = layout
        topic = IdentityTopic(log: log, layout: layout)
        // There from the start, at 0, so that a first increase shows.
        _ = Self.refusals
    }

    /// The check that stages make at each start.
    package var start: StartCheck { StartCheck { try await self.pass() } }

    /// The check that stages make at each start, and again after each `pause` while they run.
    package func start(again pause: Duration = .seconds(10)) -> StartCheck {
        StartCheck(pause: { try await Time.sleep(for: pause) }) { try await self.pass() }
    }

    /// The reason of the last refusal; nil when the last check passed.
    package var reason: String? { refusal.withLock { $0.map { "\($0)" } } }

    /// Counts a refusal that was found elsewhere.
    package static func countRefusal() { refusals.increment() }

    /// Returns when store, log and topics belong together, as far as the log shows; waits for the first record.
    /// - Throws: `IdentityMismatch`, `LogError`.
    package func pass() async throws {
        while try await !compareTogether() { try await waitForRecordTogether() }
    }

    /// The number of callers that wait for the first record.
    var waiting: Int { line.withLock { line in line.map { $0.count + 1 } ?? 0 } }

    /// Waits for the record, or until a caller that waited for all has ended otherwise. One caller reads the log for
    /// all: a log has only so many followers of one partition, and the relay needs one to write the record.
    private func waitForRecordTogether() async throws {
        let answer = Answer<Bool>()
        let isFirst = line.withLock { line in
            defer { line = line.map { $0 + [answer] } ?? [] }
            return line == nil
        }
        guard isFirst else {
            guard await answer.value(cancelled: { false }) else { throw CancellationError() }
            return
        }
        defer { for answer in line.withLock({ $0.take() }) ?? [] { answer.give(true) } }
        try await topic.waitForRecord()
    }

    private func compareTogether() async throws -> Bool {
        let task = comparison.withLock { comparison in
            if let comparison { return comparison }
            let task = Task {
                defer { self.comparison.withLock { $0 = nil } }
                return try await self.compare()
            }
            comparison = task
            return task
        }
        return try await task.value
    }

    /// Returns false when there is no record yet.
    private func compare() async throws -> Bool {
        guard let record = try await topic.record() else { return false }
        let differences = IdentityDifference.between(record, try await topic.half())
        guard differences.isEmpty else {
            let mismatch = IdentityMismatch(layout.scope, differences)
            refusal.withLock { $0 = mismatch }
            Self.refusals.increment()
            throw mismatch
        }
        refusal.withLock { $0 = nil }
        return true
    }
}
