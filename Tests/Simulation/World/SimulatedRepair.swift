import Continuity
import RecordService
import Repair

/// An operator who runs `fanfare repair --yes`, again and again until everything is done.
struct SimulatedRepair: Sendable {
    private let repair: Repair
    private let world: World

    init(_ world: World) {
        self.world = world
        let life = Life()
        let port = SimulatedPort(world.log, life: life)
        let service = RecordService(
            layout: world.layout, store: StorePort(store: world.store, life: life), log: port, now: { world.now },
            serviceClock: SimulatedProcess.serviceClock)
        repair = Repair(service, log: port)
    }

    /// - Returns: false if it never came to its end.
    func run() async -> Bool {
        for _ in 0..<100 {
            do {
                try await runOnce()
                return true
            } catch {
                Trace.add("repair: \(error)")
                // A process that was killed before may have started again meanwhile, and is in the way.
                world.stopAll()
                await Scheduler.shared.pass(.seconds(1))
            }
        }
        return false
    }

    private func runOnce() async throws {
        let findings = try await repair.find()
        Trace.add("repair: \(findings.differences), \(findings.plan.steps.map(\.text))")
        if !findings.isEmpty { try await repair.carryOut(findings) }
    }
}
