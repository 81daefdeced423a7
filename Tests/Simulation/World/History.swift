import Synchronization
import TestSupport
import Timing
import Waiting

/// One history: a script and its faults, played in the order that a seed chooses.
struct History: Sendable {
    /// The result.
    struct Outcome: Sendable {
        /// The faults; empty if there are none.
        var complaints: [String]
        var digest: UInt64
        var steps: Int
        var trace: [String]
    }

    /// Steps of a history before it counts as stuck, with and without faults.
    private static let playStepsMax = 200_000
    private static let restStepsMax = 200_000

    let seed: UInt64
    var script: Script
    var faults: [Fault]
    /// True if devices have addresses, and senders push to them.
    let hasPushes: Bool
    let policies: PolicyPlay?
    /// True if the store is no stronger than the port.
    let isWeak: Bool
    let extras: Extras

    /// The history of a seed.
    /// - Parameter hasPolicies: true for policies that act on feeds, or on pushes, by the seed.
    init(
        seed: UInt64, hasPushes: Bool = false, hasPolicies: Bool = false, isWeak: Bool = false,
        extras: Extras = Extras()
    ) {
        self.seed = seed
        // A copy of a store is made between its writes.
        self.isWeak = isWeak && !extras.hasCopiedStore
        self.extras = extras
        policies = hasPolicies ? seed % 2 == 0 ? .feeds : .pushes : nil
        let hasPushes = hasPushes || policies == .pushes
        self.hasPushes = hasPushes
        var random = SeededGenerator(seed: seed)
        script = Script(random: &random)
        if hasPushes { script.addPushes(&random) }
        if let policies { script.add(policies, &random) }
        script.add(extras, mayLose: policies == nil, &random)
        faults = FaultPlan.make(&random, steps: script.steps.count)
    }

    func run(on store: SimulatedStore, traced: Bool = false) throws -> Outcome {
        try Time.$source.withValue(SimulatedTime(isScheduled: false)) { try play(on: store, traced: traced) }
    }

    private func play(on store: SimulatedStore, traced: Bool) throws -> Outcome {
        let scheduler = Scheduler.shared
        scheduler.reset(seed: seed)
        if traced { Trace.begin() }
        try store.begin(isWeak: isWeak)
        let world = World(plan: FaultPlan(faults), store: store, hasPushes: hasPushes, policies: policies)
        let players = Players(world)
        let script = script
        var complaints: [String] = []
        world.start()
        if !run(Self.playStepsMax, { await players.play(script) }) { complaints.append("the script does not end") }
        world.heal()
        world.pushes.heal()
        if complaints.isEmpty, !run(Self.restStepsMax, { await players.rest() }) {
            complaints.append("it does not come to rest after everything was healed")
        }
        if complaints.isEmpty {
            let found = Mutex<[String]>(["the judge does not end"])
            _ = run(Self.restStepsMax) {
                do {
                    let judged = try await players.judge()
                    found.withLock { $0 = judged }
                } catch {
                    found.withLock { $0 = ["\(error)"] }
                }
            }
            complaints = found.withLock { $0 }
        }
        let outcome = Outcome(
            complaints: complaints, digest: scheduler.digest, steps: scheduler.steps, trace: traced ? Trace.end() : [])
        world.end()
        _ = scheduler.run(steps: 20_000) { false }
        world.stores.withLock { $0.ended?.pair ?? $0.pair }?.copy.finish()
        try store.end()
        return outcome
    }

    private func run(_ steps: Int, _ work: @escaping @Sendable () async -> Void) -> Bool {
        let done = Done()
        Task.detached {
            await Time.$source.withValue(SimulatedTime(isScheduled: false)) { await work() }
            done.set()
        }
        return Scheduler.shared.run(steps: steps) { done.isSet }
    }
}

/// Reports the end of a task.
private final class Done: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
