import CloudMessages
import CloudModel
import EventLog
import Feeds
import FileSystem
import Inspection
import KafkaLog
import MemoryLog
import NotificationDelivery
import RecordStore
import SQLiteLog
import Settings
import SubscriptionMatcher
import Waiting

/// The frame of commands that read the log beside the processes that work on it.
enum LogCommand {
    /// The flags that say where the log is, as usage shows them.
    static let usage = "--bootstrap-servers HOST:PORT (or --data DIR) [--container NAME] [--environment NAME]"

    /// Opens the log of a cluster, or of a data folder, works, and closes it.
    static func run(
        _ configuration: Configuration, _ body: (any EventLog, @escaping LogEvidence.Committed) async throws -> Int32
    ) async throws -> Int32 {
        if configuration.bootstrapServers.isEmpty {
            guard Files.exists("\(configuration.data)/log.sqlite") else {
                throw SettingsError(
                    "--bootstrap-servers says where Kafka is, or --data where 'fanfare dev' keeps its files; there is no log in '\(configuration.data)'"
                )
            }
            let log = try Backends.embeddedLog(configuration)
            return try await Task.closing({ await log.close() }) {
                try await body(log) { try await log.positions(of: $0, $1) }
            }
        }
        let log = try Backends.kafka(configuration)
        return try await Task.closing({ await log.close() }) {
            try await body(log) { try await log.committedPositions(of: $0, $1) }
        }
    }

    /// Opens the log for those who judge the stages.
    static func judge(
        _ configuration: Configuration, _ body: (JudgedLog) async throws -> Int32
    ) async throws -> Int32 {
        let layout = Backends.layout(configuration, try configuration.target)
        return try await run(configuration) { log, committed in
            try await body(JudgedLog(log: log, layout: layout, committed: committed))
        }
    }

    /// Works with journals, which are read into memory first, and followed.
    /// - Parameter user: the only user whose journal is read; nil for those of all users.
    static func withJournals<Value>(
        on log: any EventLog, _ layout: TopicLayout, of user: UserRecordName? = nil,
        _ body: (any Journals) async throws -> Value
    ) async throws -> Value {
        let view = MemoryKeyedView(only: user.map { layout.userKey($0) })
        let tail = JournalTail(log, layout: layout, view: view, of: user)
        try await tail.fill()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await tail.run() }
            defer { group.cancelAll() }
            return try await body(tail)
        }
    }

    /// The store of the target in the data folder; nil where there is none.
    static func store(_ configuration: Configuration) throws -> (any RecordStore)? {
        let scope = try configuration.target
        guard Files.exists("\(configuration.data)/\(scope).sqlite") else { return nil }
        return try Backends.store(configuration, scope, role: .visitor)
    }
}

/// The log for those who judge the stages.
struct JudgedLog {
    let log: any EventLog
    let layout: TopicLayout
    let committed: LogEvidence.Committed

    /// The evidence for questions that need no journals; they would be read by scanning.
    var evidence: LogEvidence { makeEvidence(nil) }

    /// Works with the evidence, and journals that are read into memory first.
    /// - Parameter user: the only user whose journal is read; nil for those of all users.
    func withJournals<Value>(
        of user: UserRecordName? = nil, _ body: (LogEvidence) async throws -> Value
    ) async throws -> Value {
        try await LogCommand.withJournals(on: log, layout, of: user) { try await body(makeEvidence($0)) }
    }

    private func makeEvidence(_ journals: (any Journals)?) -> LogEvidence {
        let groups = LogEvidence.Groups(
            matching: SubscriptionMatcher.group(layout), delivery: NotificationDelivery.group(layout))
        return LogEvidence(log: log, layout: layout, journals: journals, groups: groups, committed: committed)
    }
}
