import CloudMessages
package import EventLog
import Foundation
import Testing

/// What every backend of the log port must do. Each backend's tests run all checks; what a backend cannot do is left
/// out by name, and printed.
package enum LogConformance {
    /// Something that not every backend can do.
    package enum Capability: Sendable {
        case topics, truncation, sessions, groups, deletion
        /// Entries have the time of their append.
        case appendTimes
        /// A group's generation changes only with its members: the mock cluster moves it by a timer of its own, too,
        /// when the machine is busy.
        case steadyGenerations
    }

    /// One check.
    package struct Check: Sendable, CustomTestStringConvertible {
        package let name: String
        let needs: [Capability]
        let body: @Sendable (Environment) async throws -> Void

        init(_ name: String, needs: [Capability] = [], _ body: @escaping @Sendable (Environment) async throws -> Void) {
            self.name = name
            self.needs = needs
            self.body = body
        }

        package var testDescription: String { name }

        /// Runs the check on a log; prints and returns when the log cannot do what it needs.
        /// - Parameter makeTopic: makes topics where the backend cannot.
        package func run(
            on log: any InspectableLog, without missing: Set<Capability> = [],
            makeTopic: (@Sendable (TopicSpecification) async throws -> Void)? = nil
        ) async throws {
            let lacking = needs.filter(missing.contains)
            guard lacking.isEmpty else {
                print("LogConformance: left out '\(name)': the backend has no \(lacking)")
                return
            }
            try await within(name) { try await body(Environment(log: log, makeTopic: makeTopic)) }
        }
    }

    /// The log under test, with topics of the check's own.
    package struct Environment: Sendable {
        package let log: any InspectableLog
        /// Distinguishes the topics of this run on logs that outlive it.
        private let number = UInt64.random(in: 0 ... .max)

        private let makeTopic: (@Sendable (TopicSpecification) async throws -> Void)?

        init(log: any InspectableLog, makeTopic: (@Sendable (TopicSpecification) async throws -> Void)?) {
            self.log = log
            self.makeTopic = makeTopic
        }

        func name(_ suffix: String) -> TopicName { TopicName("conformance.\(String(number, radix: 36)).\(suffix)") }
        func group(_ suffix: String) -> GroupName { GroupName(name(suffix).rawValue) }

        func make(
            _ suffix: String, partitions: Int32 = 1, compact: Bool = false, messageBytesMax: Int = 1 << 20,
            isSource: Bool = false
        ) async throws -> TopicName {
            let cleanup = compact ? TopicSpecification.Cleanup.compact : .delete(afterMilliseconds: 7 * 86_400_000)
            let specification = TopicSpecification(
                name: name(suffix), partitions: partitions, cleanup: cleanup, messageBytesMax: messageBytesMax,
                isSource: isSource)
            if let makeTopic {
                try await makeTopic(specification)
            } else {
                try await log.requireTopics([specification])
            }
            return specification.name
        }
    }

    /// All checks.
    package static let checks: [Check] = topicChecks + writingChecks + readingChecks + groupChecks + stateChecks
}

extension OutgoingEntry {
    /// Now, for the checks that compare times.
    static var now: LogTimestamp { LogTimestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    /// Now: Kafka looks 30 seconds after its start for entries that are older than their topic keeps them, and removes
    /// them.
    private static let time = now

    /// An entry that holds a text.
    package init(_ partition: TopicPartition, _ text: String, key: String? = nil) {
        self.init(
            partition, key: key.map { Array($0.utf8) }, value: Array(text.utf8),
            timestamp: Self.time)
    }
}

extension LogEntry {
    /// The text that the entry holds.
    package var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}

extension LogFollower {
    /// Reads on until as many entries have come.
    package func entries(_ count: Int) async throws -> [LogEntry] {
        var entries: [LogEntry] = []
        while entries.count < count { entries += try await next().entries }
        return entries
    }

    /// Reads until the end is reported.
    package func entriesToEnd() async throws -> [LogEntry] {
        var entries: [LogEntry] = []
        while true {
            let batch = try await next()
            entries += batch.entries
            if batch.isAtEnd { return entries }
        }
    }
}

extension EntryReader {
    /// Reads from an offset on until the end is reported.
    /// - Returns: the entries, and the offset behind them.
    package func entriesToEnd(from offset: Int64 = 0) async throws -> (entries: [LogEntry], next: Int64) {
        var (entries, next): ([LogEntry], Int64) = ([], offset)
        while true {
            let batch = try await batch(from: next)
            #expect(!batch.entries.isEmpty || batch.isAtEnd)
            entries += batch.entries
            next = batch.nextOffset
            if batch.isAtEnd { return (entries, next) }
        }
    }
}
