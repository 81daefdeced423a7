import CloudMessages
import CloudModel
import Continuity
import FeedTopics
import NotificationDelivery
import Push
import RecordService
import SubscriptionMatcher
import Synchronization
import TestSupport
import Timing

/// A process of one role, in one of its lives.
final class SimulatedProcess: Sendable {
    enum Role: CaseIterable, Sendable {
        case recordService
        case matcher
        case delivery
        case pushSender
        case feeds
    }

    /// The service clock of a process that begins now, in the simulation's time.
    static var serviceClock: ServiceClock { ServiceClock(steady: { Scheduler.shared.time }, lookMax: nil) }

    let role: Role
    let life: Life
    /// The store of a record service.
    let store: SimulatedStore
    /// The use cases of a record service.
    let service: RecordService?
    private let task: Task<Void, Never>

    /// - Parameter isCompared: true for a record service that answers once store and log belong together, as
    ///   `fanfare record-service` does.
    init(_ role: Role, _ world: World, _ store: SimulatedStore, isCompared: Bool) {
        self.role = role
        self.store = store
        let life = Life()
        self.life = life
        let port = SimulatedPort(world.log, life: life)
        let check = IdentityCheck(log: port, layout: world.layout).start
        switch role {
        case .recordService:
            var options = RecordService.Options()
            // The lag of delivery is measured by the machine's clock.
            options.deliveryLagMax = .zero
            options.outboxKept = .seconds(60)
            options.lossPause = .seconds(2)
            let service = RecordService(
                layout: world.layout, store: StorePort(store: store, life: life), log: port, options: options,
                keys: World.keys, now: { world.now },
                serviceClock: Self.serviceClock)
            self.service = service
            guard isCompared else {
                task = Task { await service.run() }
                return
            }
            life.isOpen.store(false, ordering: .relaxed)
            task = Task {
                await service.waitUntilTogether { _ in }
                life.isOpen.store(true, ordering: .relaxed)
                await service.run()
            }
        case .matcher:
            service = nil
            task = Task { await SubscriptionMatcher(log: port, layout: world.layout, check: check).run() }
        case .delivery:
            service = nil
            task = Task { await NotificationDelivery(log: port, layout: world.layout, check: check).run() }
        case .pushSender:
            service = nil
            let sender = SimulatedProvider.sender(world, port, check)
            task = Time.$source.withValue(SimulatedTime()) { Task { await sender.run() } }
        case .feeds:
            service = nil
            let stage = FeedTopics(log: port, layout: world.layout, check: check)
            task = Time.$source.withValue(SimulatedTime()) { Task { await stage.run() } }
        }
    }

    /// Ends it at once: nothing it does from now on reaches anybody but what it has sent already.
    func kill() {
        life.end()
        task.cancel()
    }

    /// Ends it as a signal does, and waits for it.
    func stop() async {
        task.cancel()
        await task.value
        life.end()
    }
}
