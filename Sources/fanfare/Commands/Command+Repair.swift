import CloudMessages
import CloudModel
import EventLog
import NotificationDelivery
import RecordService
import RecordStore
import Settings
import Stages
import SubscriptionMatcher
import Waiting

extension Command {
    static let repair = Command(
        name: "repair",
        usage:
            "repair --data DIR [--bootstrap-servers HOST:PORT] [--container NAME] [--environment NAME] [--rebuild PARTS] [--yes]",
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
            // What is to be published waits for the record-service, however much it is.
            var options = RecordService.Options()
            options.outboxMax = OutboxTotals(rows: .max, bytes: .max)
            return try await LogCommand.withJournals(on: log, layout) { told in
                let repair = Repair(RecordService(layout: layout, store: store, options: options), log: told)
                return try await repair.run(
                    rebuilding: Set(configuration.repairing.parts.compactMap { RepairPlan.Part(rawValue: $0) }),
                    isWanted: configuration.repairing.isConfirmed)
            }
        }
    }
}

/// The work of `fanfare repair` on one container's environment.
private struct Repair {
    private let layout: TopicLayout
    private let store: StoreRepair
    private let matching: MatchRepair
    private let delivery: DeliveryRepair
    private let topics: IdentityTopic

    init(_ service: RecordService, log: any EventLog) {
        layout = service.layout
        store = StoreRepair(service, log: log)
        matching = MatchRepair(log: log, layout: layout)
        delivery = DeliveryRepair(log: log, layout: layout)
        topics = IdentityTopic(log: log, layout: layout)
    }

    /// Shows the plan, and follows it when that is wanted.
    func run(rebuilding parts: Set<RepairPlan.Part>, isWanted: Bool) async throws -> Int32 {
        let (differences, published) = try await store.differences()
        let plan = RepairPlan(
            differences, rebuilding: parts, published: published, unfinished: try await store.unfinished())
        for difference in differences { Output.line("\(layout.scope): \(difference)") }
        try await tellGivenUp(differences)
        guard !plan.needsOtherLayout else {
            Output.error("nothing is mended under another 'feed-layout' than the feeds have")
            return ExitCode.failed
        }
        guard plan.missingTopics.isEmpty else {
            Output.error(
                "make the missing topics first ('fanfare topics init', or a start of 'fanfare dev'), then run this again"
            )
            return ExitCode.failed
        }
        guard !differences.isEmpty || !plan.steps.isEmpty else {
            Output.line("\(layout.scope): store, log and topics belong together")
            return ExitCode.done
        }
        // Positions say which topic they count in.
        let bare = try await topics.half().topics.filter { $0.value == 0 }.keys.sorted()
        guard bare.isEmpty else {
            Output.error(
                "not made by 'fanfare topics init': \(bare.joined(separator: ", ")). Run that, which gives a topic what it lacks, then this again"
            )
            return ExitCode.failed
        }
        for step in plan.steps { Output.line("  \(isWanted ? "now" : "would"): \(step)") }
        Output.line("  \(isWanted ? "now" : "would"): store and log are noted as belonging together")
        guard isWanted else {
            Output.line("nothing was changed; --yes does it. Stop the subscription-matchers before")
            return ExitCode.differences
        }
        try await store.begin(plan.steps)
        let found = try await delivery.find()
        for step in plan.steps { try await carryOut(step, found) }
        KillPoint.reach(.repairPrepared)
        try await store.keepIdentity()
        Output.line("\(layout.scope): done; the services begin by themselves")
        return ExitCode.done
    }

    /// Says what the log has and an older copy of the store has not.
    private func tellGivenUp(_ differences: [IdentityDifference]) async throws {
        for case .olderStore(_, let last) in differences {
            let lost = try await store.changes(after: last)
            guard let times = lost.times else { continue }
            Output.line(
                "  given up: \(lost.changes) changes of \(lost.records) records, committed from \(times.lowerBound.iso8601) to \(times.upperBound.iso8601); devices keep their notifications of them"
            )
        }
    }

    private func carryOut(_ step: RepairPlan.Step, _ found: DeliveryRepair.Found) async throws {
        switch step {
        case .skipSequences(let through): try await store.skipSequences(through: through)
        case .restartMatching(let topics):
            try await matching.restart(topics.map { TopicName(layout.prefix + $0) })
            try await store.publishBoundaries(in: topics)
        case .rewindMatching: try await matching.rewind(to: found.matched)
        case .restartDelivery: try await delivery.restart()
        case .rebuildDelivery: Output.line("  \(try await delivery.rebuild()) journals")
        case .publishSubscriptions:
            let (published, removed) = try await store.publishSubscriptions()
            Output.line("  \(published) versions of subscriptions to publish, \(removed) to remove")
            let ended = try await store.cancelPasts(found.pasts)
            if ended > 0 { Output.line("  \(ended) pasts of subscriptions that the store does not know to end") }
        case .compareDevices:
            let (registered, removed) = try await store.compareDevices(with: found.devices)
            Output.line("  \(registered) devices to register again, \(removed) to remove")
        case .renewDevices: Output.line("  \(try await store.renewDevices()) devices to register again")
        case .restartCommands: try await store.resetCommands(atEnd: false)
        case .skipCommands: try await store.resetCommands(atEnd: true)
        }
    }
}
