import CloudMessages
package import Continuity
package import EventLog
import NotificationDelivery
package import RecordService
import Stages
import SubscriptionMatcher

/// The repair of one container's environment: finds the differences between store, log and topics, and carries out the
/// steps of a `RepairPlan` in order. No other process may match or deliver meanwhile.
package struct Repair: Sendable {
    /// The differences, and the steps that repair them.
    package struct Findings: Sendable {
        package let differences: [IdentityDifference]
        package let plan: RepairPlan

        /// True if nothing differs and no step is left or wanted.
        package var isEmpty: Bool { differences.isEmpty && plan.steps.isEmpty }
    }

    /// A reason for which no step can be carried out.
    package enum Obstacle: Hashable, Sendable {
        /// The feeds are in the topics of an earlier version.
        case formerLayout
        /// A migration of the feeds was begun and not finished.
        case migration
        /// Topics do not exist.
        case missingTopics([String])
        /// Topics were made without an incarnation, which positions refer to.
        case bareTopics([String])
    }

    private let layout: TopicLayout
    private let store: StoreRepair
    private let matching: MatchRepair
    private let delivery: DeliveryRepair
    private let topics: IdentityTopic

    /// - Parameter service: beside the process that owns the store, or alone.
    package init(_ service: RecordService, log: any EventLog) {
        layout = service.layout
        store = StoreRepair(service, log: log)
        matching = MatchRepair(log: log, layout: layout)
        delivery = DeliveryRepair(log: log, layout: layout)
        topics = IdentityTopic(log: log, layout: layout)
    }

    /// Compares store and log, and plans the steps, with those of an interrupted repair.
    /// - Parameters:
    ///     - parts: parts to rebuild although nothing differs.
    ///     - isRestored: true if an operator has restored the log, also where nothing differs.
    package func find(
        rebuilding parts: Set<RepairPlan.Part> = [], isRestored: Bool = false
    ) async throws -> Findings {
        let (differences, published) = try await store.differences()
        let unfinished = try await store.unfinished()
        return Findings(
            differences: differences,
            plan: RepairPlan(
                differences, rebuilding: parts, isRestored: isRestored, published: published, unfinished: unfinished))
    }

    /// The changes in the log that an older copy of the store does not have: a repair gives them up.
    package func givenUp(_ findings: Findings) async throws -> [StoreRepair.GivenUp] {
        var found: [StoreRepair.GivenUp] = []
        for case .olderStore(_, let last) in findings.differences { found.append(try await store.changes(after: last)) }
        return found
    }

    /// The first reason not to begin; nil without one.
    package func obstacle(to findings: Findings) async throws -> Obstacle? {
        if findings.plan.needsMigration { return .migration }
        if findings.plan.isOfFormerLayout { return .formerLayout }
        if !findings.plan.missingTopics.isEmpty { return .missingTopics(findings.plan.missingTopics) }
        if findings.isEmpty { return nil }
        let bare = try await topics.half().topics.filter { $0.value == 0 }.keys.sorted()
        return bare.isEmpty ? nil : .bareTopics(bare)
    }

    /// Carries out the steps; one that was interrupted is carried out again by the next repair.
    /// - Parameter report: is called with the result of a step, for operators.
    package func carryOut(_ findings: Findings, report: (String) -> Void = { _ in }) async throws {
        try await store.begin(.repair, findings.plan.steps)
        let found = try await delivery.find()
        for step in findings.plan.steps { try await carryOut(step, found, report) }
        KillPoint.reach(.repairPrepared)
        try await store.keepIdentity()
    }

    private func carryOut(
        _ step: RepairPlan.Step, _ found: DeliveryRepair.Found, _ report: (String) -> Void
    ) async throws {
        switch step {
        case .skipSequences(let through): try await store.skipSequences(through: through)
        case .restartMatching(let topics):
            try await matching.restart(topics.map { TopicName(layout.prefix + $0) })
            try await store.publishBoundaries(in: topics)
        case .rewindMatching: try await matching.rewind(to: found.matched)
        case .restartDelivery: try await delivery.restart()
        case .rebuildDelivery: report("\(try await delivery.rebuild()) journals")
        case .beginGeneration: try await delivery.beginGeneration()
        case .publishSubscriptions:
            let (published, removed) = try await store.publishSubscriptions()
            report("\(published) versions of subscriptions to publish, \(removed) to remove")
            let ended = try await store.cancelPasts(found.pasts)
            if ended > 0 { report("\(ended) backfills of subscriptions that the store does not know to end") }
        case .compareDevices:
            let (registered, removed) = try await store.compareDevices(with: found.devices)
            report("\(registered) devices to register again, \(removed) to remove")
        case .renewDevices: report("\(try await store.renewDevices()) devices to register again")
        case .publishAddresses:
            let (published, removed) = try await store.publishAddresses()
            report("\(published) addresses of pushes to publish, \(removed) to remove")
        case .restartCommands: try await store.resetCommands(atEnd: false)
        case .skipCommands: try await store.resetCommands(atEnd: true)
        }
    }
}
