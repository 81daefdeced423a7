import CloudMessages
import EventLog
import Feeds
import NotificationDelivery
import RecordService
import Stages
import SubscriptionMatcher

/// What an operator does who runs `fanfare repair --yes`, again and again until it has done everything.
struct SimulatedRepair: Sendable {
    private let layout: TopicLayout
    private let store: StoreRepair
    private let matching: MatchRepair
    private let delivery: DeliveryRepair
    private let world: World

    init(_ world: World) {
        self.world = world
        layout = world.layout
        let life = Life()
        let port = SimulatedPort(world.log, life: life)
        let service = RecordService(
            layout: layout, store: StorePort(store: world.store, life: life), log: port, now: { world.now })
        store = StoreRepair(service, log: port)
        matching = MatchRepair(log: port, layout: layout)
        delivery = DeliveryRepair(log: SharedJournals.over(port, layout: layout), layout: layout)
    }

    /// - Returns: false if it never came to its end.
    func run() async -> Bool {
        for _ in 0..<100 {
            do {
                try await runOnce()
                return true
            } catch {
                Trace.add("repair: \(error)")
                // Who was killed before may have begun another life meanwhile, and is in the way.
                world.stopAll()
                await Scheduler.shared.pass(.seconds(1))
            }
        }
        return false
    }

    private func runOnce() async throws {
        let (differences, published) = try await store.differences()
        let plan = RepairPlan(differences, published: published, unfinished: try await store.unfinished())
        Trace.add("repair: \(differences), \(plan.steps.map(\.text))")
        guard !differences.isEmpty || !plan.steps.isEmpty else { return }
        try await store.begin(plan.steps)
        let found = try await delivery.find()
        for step in plan.steps { try await carryOut(step, found) }
        try await store.keepIdentity()
    }

    private func carryOut(_ step: RepairPlan.Step, _ found: DeliveryRepair.Found) async throws {
        switch step {
        case .skipSequences(let through): try await store.skipSequences(through: through)
        case .restartMatching(let topics):
            let names = topics.map { TopicName(layout.prefix + $0) }
            try await matching.restart(names)
            try await store.publishBoundaries(in: topics)
        case .rewindMatching: try await matching.rewind(to: found.matched)
        case .restartDelivery: try await delivery.restart()
        case .rebuildDelivery: _ = try await delivery.rebuild()
        case .publishSubscriptions:
            _ = try await store.publishSubscriptions()
            try await store.cancelPasts(found.pasts)
        case .compareDevices: _ = try await store.compareDevices(with: found.devices)
        case .renewDevices: _ = try await store.renewDevices()
        case .restartCommands: try await store.resetCommands(atEnd: false)
        case .skipCommands: try await store.resetCommands(atEnd: true)
        }
    }
}
