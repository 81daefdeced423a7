import CloudMessages
import CloudModel
import Continuity
import EventLog
import FileSystem
import RecordService
import RecordStore
import Repair
import Settings
import Waiting

extension Command {
    static let repair = Command(
        name: "repair",
        usage:
            "repair --data DIR [--bootstrap-servers HOST:PORT] [--container NAME] [--environment NAME] [--rebuild PARTS] [--restored] [--yes]",
        summary: "shows what would make store, log and topics belong together again, and does it with --yes",
        settings: [.common, .containers, .store, .log, .target, .confirming, .repairing]
    ) { reading in
        let configuration = reading.configuration
        let isEmbedded = configuration.bootstrapServers.isEmpty
        guard !isEmbedded || Files.exists("\(configuration.data)/log.sqlite") else {
            throw SettingsError(
                "--bootstrap-servers says where Kafka is, or --data where 'fanfare dev' keeps its files; there is no log in '\(configuration.data)'"
            )
        }
        let log: any EventLog =
            isEmbedded ? try Backends.embeddedLog(configuration) : try Backends.kafka(configuration)
        return try await Task.closing({ await log.close() }) {
            var code = ExitCode.done
            for scope in try scopes(reading) {
                let one = try await repair(scope, on: log, configuration)
                code = [code, one].contains(ExitCode.failed) ? ExitCode.failed : max(code, one)
            }
            return code
        }
    }

    /// The containers' environments that are named; all that are served where none is.
    static func scopes(
        _ reading: SettingsTable<Configuration>.Reading
    ) throws -> [ContainerEnvironment] {
        var configuration = reading.configuration
        let target = try configuration.target
        if !configuration.targeting.container.isEmpty { configuration.containers = [target.container.rawValue] }
        if let source = reading.sources["environment"], source != .builtIn {
            configuration.environments = [target.environment.rawValue]
        }
        return configuration.scopes
    }

    private static func repair(
        _ scope: ContainerEnvironment, on log: any EventLog, _ configuration: Configuration
    ) async throws -> Int32 {
        let layout = Backends.layout(configuration, scope)
        // The embedded log has one writer, and so no process may serve the store meanwhile.
        let isEmbedded = configuration.bootstrapServers.isEmpty
        let store = try Backends.store(configuration, scope, role: isEmbedded ? .owner : .visitor)
        return try await Task.closing({ await store.close() }) {
            // The rows to publish wait for the record-service, however many.
            var options = RecordService.Options()
            options.outboxMax = OutboxTotals(rows: .max, bytes: .max)
            let service = RecordService(layout: layout, store: store, options: options)
            return try await Repair(service, log: log).run(
                in: scope,
                rebuilding: Set(configuration.repairing.parts.compactMap { RepairPlan.Part(rawValue: $0) }),
                isRestored: configuration.repairing.isRestored, isWanted: configuration.repairing.isConfirmed)
        }
    }
}

extension Repair {
    /// Shows the plan, and follows it when that is wanted.
    fileprivate func run(
        in scope: ContainerEnvironment, rebuilding parts: Set<RepairPlan.Part>, isRestored: Bool, isWanted: Bool
    ) async throws -> Int32 {
        let findings = try await find(rebuilding: parts, isRestored: isRestored)
        for difference in findings.differences { Output.line("\(scope): \(difference)") }
        for lost in try await givenUp(findings) {
            guard let times = lost.times else { continue }
            Output.line(
                "  given up: \(lost.changes) changes of \(lost.records) records, committed from \(times.lowerBound.iso8601) to \(times.upperBound.iso8601); devices keep their notifications of them"
            )
        }
        if let obstacle = try await obstacle(to: findings) {
            Output.error(Self.remedy(obstacle))
            return ExitCode.failed
        }
        guard !findings.isEmpty else {
            Output.line("\(scope): store, log and topics belong together")
            return ExitCode.done
        }
        let prefix = isWanted ? "now" : "would"
        for step in findings.plan.steps { Output.line("  \(prefix): \(step)") }
        Output.line("  \(prefix): store and log are noted as belonging together")
        guard isWanted else {
            Output.line("nothing was changed; --yes does it. Stop the subscription-matchers before")
            return ExitCode.differences
        }
        try await carryOut(findings) { Output.line("  \($0)") }
        Output.line("\(scope): done; the services begin by themselves")
        return ExitCode.done
    }

    private static func remedy(_ obstacle: Obstacle) -> String {
        switch obstacle {
        case .migration: "'fanfare feeds migrate --yes' first, which goes on where it was cut off"
        case .formerLayout: "'fanfare feeds migrate --yes' first, which moves the feeds to the topics of this version"
        case .missingTopics:
            "make the missing topics first ('fanfare topics init', or a start of 'fanfare dev'), then run this again"
        case .bareTopics(let names):
            "not made by 'fanfare topics init': \(names.joined(separator: ", ")). Run that, which gives a topic what it lacks, then this again"
        }
    }
}

extension Configuration {
    /// `repair`.
    struct Repairing: Sendable {
        var parts: [String] = []
        var isRestored = false
        var isConfirmed = false
    }
}

extension SettingGroup {
    /// `repair`.
    static let repairSettings: [Setting<Configuration>] = [
        Setting(
            "rebuild", \.repairing.parts,
            "parts to make again although nothing differs: subscriptions, devices, delivery, commands, separated by commas"
        ) { parts in
            for part in parts where RepairPlan.Part(rawValue: part) == nil {
                return "names '\(part)'; parts are subscriptions, devices, delivery and commands"
            }
            return nil
        },
        Setting(
            "restored", \.repairing.isRestored,
            "Kafka was restored from copies, whose partitions may be of different moments, and the comparison finds no difference"
        ),
    ]
}
