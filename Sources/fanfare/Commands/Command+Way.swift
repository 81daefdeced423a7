import CloudModel
import Console
import Cryptography
import Feeds
import Inspection
import JSON
import RecordService
import RecordStore
import Settings
import Waiting

/// The way of a notification.
extension Command {
    static let way = Command(
        name: "way",
        usage:
            "way --change ID|NUMBER \(LogCommand.usage) [--user USER] [--subscription ID] [--database NAME] [--push-log FILE,…] [--json]",
        summary: "shows the way of a notification through the topics, with places and times",
        settings: [.common, .containers, .store, .log, .target, .explaining, .listing]
    ) { reading in
        let configuration = reading.configuration
        return try await LogCommand.judge(configuration) { log in
            let store = try LogCommand.store(configuration)
            return try await Task.closing({ await store?.close() }) {
                let keys = try? Backends.keys(configuration, mayMake: false)
                do {
                    return try await showWay(configuration, log, store, keys)
                } catch let error as CloudError {
                    Output.error(error.reason)
                    return ExitCode.failed
                }
            }
        }
    }

    private static func showWay(
        _ configuration: Configuration, _ log: JudgedLog, _ store: (any RecordStore)?, _ keys: KeyRing?
    ) async throws -> Int32 {
        let asked = configuration.explaining
        let pushLogs = try pushLogs(configuration)
        let subject = try await subject(configuration, store, keys)
        let question = WayFinder.Question(
            change: subject.change, user: subject.user,
            subscription: asked.subscription.isEmpty ? nil : try SubscriptionID(asked.subscription),
            database: DatabaseScope(asked.database))
        return try await log.withJournals(of: subject.user) { evidence in
            let ways = NotificationWays(evidence: evidence, pushLogs: pushLogs, store: store, keys: keys)
            guard let way = try await ways.find(question) else {
                Output.error("neither change \(subject.change) nor a notification of \(subject.user) about it is kept")
                return ExitCode.failed
            }
            if configuration.printing.isJSON {
                Output.line(String(decoding: try JSONValue.object(ways.json(way)).serialized(), as: UTF8.self))
            } else {
                for line in way.lines { Output.line(line) }
            }
            return ExitCode.done
        }
    }

    /// The notification that the flags name.
    private static func subject(
        _ configuration: Configuration, _ store: (any RecordStore)?, _ keys: KeyRing?
    ) async throws -> NotificationSubject {
        let asked = configuration.explaining
        guard !asked.change.isEmpty else {
            throw SettingsError("--change takes a notificationID, or a change's number with --user")
        }
        let owner = asked.user.isEmpty ? nil : UserRecordName(trusted: asked.user)
        if let number = Int64(asked.change) {
            guard let owner else { throw SettingsError("--user names the user whose notification of the change it is") }
            return NotificationSubject(user: owner, change: CommitSequence(number))
        }
        guard let keys else {
            throw SettingsError("--token-key-file names the key ring, without which no notificationID can be read")
        }
        let identifiers = NotificationIdentifiers(keys)
        if let owner {
            guard let change = identifiers.decode(asked.change, of: owner) else {
                throw CloudError(.notFound, "'\(asked.change.prefix(80))' is no notification of \(owner)")
            }
            return NotificationSubject(user: owner, change: change)
        }
        guard let store else {
            throw SettingsError("--user names the notification's owner, where --data has no store")
        }
        let service = RecordService(layout: Backends.layout(configuration, try configuration.target), store: store)
        return try await NotificationOwner(ServedScope(service).identity, identifiers)
            .subject(of: asked.change, owner: nil)
    }
}
