package import CloudMessages
import CloudModel
package import EventLog
package import Poison
package import Stages
import Telemetry
import Waiting

/// Sends the pushes of a container's environment to their providers: reads `pushes` as a member of a group, and commits
/// waiting pushes and the position together. `DESIGN.md` explains which pushes a crash repeats, and why it loses none.
package struct PushSender: Sendable {
    /// The parts that the senders of all partitions share.
    struct Parts: Sendable {
        let log: any EventLog
        let layout: TopicLayout
        let providers: [CourierKind: any PushProvider]
        let payloads: PushPayloads
        let addresses: any PushAddresses
        let missed: (any MissedPushes)?
        let settings: PushSenderSettings
        let poison: PoisonLedger?
        let journal: (any PushJournal)?
    }

    private let parts: Parts
    private let check: StartCheck

    /// Describes the senders of one container's environment.
    /// - Parameters:
    ///   - providers: at most one of each kind. Pushes of other kinds are passed by.
    ///   - missed: asked after `pushes` lost entries that were not read; nil makes up for nothing.
    ///   - poison: the entries that are passed by; nil, as in tests, passes none by.
    ///   - journal: notes what happens to pushes; nil notes nothing.
    ///   - check: made at each start of the stage, and while it runs.
    package init(
        log: any EventLog, layout: TopicLayout, providers: [any PushProvider], payloads: PushPayloads,
        addresses: any PushAddresses, missed: (any MissedPushes)? = nil,
        settings: PushSenderSettings = PushSenderSettings(), poison: PoisonLedger? = nil,
        journal: (any PushJournal)? = nil, check: StartCheck = .none
    ) {
        parts = Parts(
            log: log, layout: layout, providers: Dictionary(providers.map { ($0.kind, $0) }) { first, _ in first },
            payloads: payloads, addresses: addresses, missed: missed, settings: settings, poison: poison,
            journal: journal)
        self.check = check
    }

    /// Sends until the task is cancelled; every failure starts it again from the committed state.
    package func run() async {
        PushSenderMetrics.register()
        let progress = StageProgress(.push, scope: "\(parts.layout.scope)")
        await progress.watched(on: parts.log) {
            await persistently(failed: { error, pause in
                PushSenderMetrics.restarts.increment()
                progress.failed(nil, error)
                Log.warning(
                    "sender.failed", ["scope": "\(parts.layout.scope)", "error": "\(error)", "pause": "\(pause)"])
            }) {
                try await parts.poison?.waitUntilReady()
                try await check.around { try await run(progress) }
            }
        }
    }

    private func run(_ progress: StageProgress) async throws {
        var budget = SendLines.Budget()
        budget.lines = budget.lines.shared(by: parts.settings.scopeCount)
        let dispatcher = PushDispatcher(
            budget: budget, clock: parts.settings.clock(), jitter: parts.settings.jitter)
        let membership = try await parts.log.join(parts.layout.pushGroup, topics: [parts.layout.pushes])
        progress.waits(for: nil)
        let stage = PartitionedStage(
            sharesWriter: false, progress: progress,
            work: { partition, membership in
                try await check.pass()
                try await PartitionSender.run(parts, partition, membership, dispatcher, progress)
            },
            ended: { _, _ in },
            failed: { partition, error, pause in
                PushSenderMetrics.restarts.increment()
                Log.warning(
                    "sender.partition.failed", ["partition": "\(partition)", "error": "\(error)", "pause": "\(pause)"])
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await dispatcher.run() }
            group.addTask { await parts.addresses.report() }
            group.addTask { try await stage.run(membership) }
            try await group.next()
        }
    }
}
