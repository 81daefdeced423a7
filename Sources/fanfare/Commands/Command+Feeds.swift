import CloudMessages
import CloudModel
import Continuity
import EventLog
import NotificationDelivery
import RecordService
import RecordStore
import Settings
import Waiting

/// Moves the notifications of a container from the topics of earlier versions to those of this one.
extension Command {
    static let feedsMigrate = Command(
        name: "feeds migrate",
        usage:
            "feeds migrate --data DIR [--bootstrap-servers HOST:PORT] [--container NAME] [--environment NAME] [--delete-old] [--yes]",
        summary:
            "moves journals and feeds of earlier versions into the topic that users share; change tokens stay good",
        settings: [.common, .containers, .store, .log, .target, .confirming, .migrating]
    ) { reading in
        let configuration = reading.configuration
        return try await LogCommand.run(configuration) { log, _ in
            var code = ExitCode.done
            for scope in try scopes(reading) {
                let one = try await migrate(scope, on: log, configuration)
                code = [code, one].contains(ExitCode.failed) ? ExitCode.failed : max(code, one)
            }
            return code
        }
    }

    private static func migrate(
        _ scope: ContainerEnvironment, on log: any EventLog, _ configuration: Configuration
    ) async throws -> Int32 {
        let layout = Backends.layout(configuration, scope)
        let migration = FeedMigration(log: log, layout: layout)
        let isEmbedded = configuration.bootstrapServers.isEmpty
        let store = try Backends.store(configuration, scope, role: isEmbedded ? .owner : .visitor)
        return try await Task.closing({ await store.close() }) {
            let repair = StoreRepair(RecordService(layout: layout, store: store), log: log)
            let (differences, _) = try await repair.differences()
            if differences.isEmpty {
                Output.line("\(scope): journals and feeds are in \(layout.journals)")
                return try await deleteOld(migration, scope, configuration)
            }
            let isMoved = differences == [.migrationUnfinished]
            // One that was cut off goes on.
            guard isMoved || Set(differences).subtracting([.migrationUnfinished, .recordLost]) == [.formerLayout] else {
                for difference in differences { Output.error("\(scope): \(difference)") }
                let isFormer = differences.contains(.formerLayout)
                Output.error("'fanfare repair' first" + (isFormer ? ", of the version that made the topics" : ""))
                return ExitCode.failed
            }
            guard configuration.repairing.isConfirmed else {
                Output.line(
                    "\(scope): would move all journals and feeds into \(layout.journals). Stop the record-service, the subscription-matchers and the push-senders, then give --yes"
                )
                return ExitCode.differences
            }
            guard !isMoved else {
                try await repair.keepIdentity()
                Output.line("\(scope): moved all journals and feeds before; that is noted now")
                return ExitCode.done
            }
            return try await move(migration, repair, scope)
        }
    }

    private static func move(
        _ migration: FeedMigration, _ repair: StoreRepair, _ scope: ContainerEnvironment
    ) async throws -> Int32 {
        try await repair.begin(.feedMigration)
        let moved: FeedMigration.Moved
        do {
            moved = try await migration.move { try await repair.keepIdentity() }
        } catch LogError.fenced {
            Output.error("\(scope): a subscription-matcher has delivered meanwhile. Stop it, then run this again")
            return ExitCode.failed
        }
        Output.line(
            "\(scope): moved \(moved.journals) journals with \(moved.entries) entries. Start everything; then 'fanfare feeds migrate --delete-old --yes' deletes the former topics"
        )
        return ExitCode.done
    }

    private static func deleteOld(
        _ migration: FeedMigration, _ scope: ContainerEnvironment, _ configuration: Configuration
    ) async throws -> Int32 {
        guard configuration.deletesOldFeeds else { return ExitCode.done }
        guard configuration.repairing.isConfirmed else {
            Output.line("nothing was deleted; --yes does it")
            return ExitCode.differences
        }
        let (count, failures) = try await migration.deleteOld()
        for (topic, error) in failures.sorted(by: { $0.key < $1.key }) { Output.error("\(topic): \(error)") }
        Output.line("\(scope): deleted \(count - failures.count) topics of journals and feeds")
        return failures.isEmpty ? ExitCode.done : ExitCode.failed
    }
}

extension SettingGroup {
    /// `feeds migrate`.
    static let migrationSettings: [Setting<Configuration>] = [
        Setting("delete-old", \.deletesOldFeeds, "delete the topics of earlier versions, once everything is moved")
    ]
}
