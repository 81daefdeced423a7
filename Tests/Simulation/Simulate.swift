import CloudModel
import Foundation
import RecordStore
import Synchronization
import TestSupport
import Waiting

/// `simulate [--seed N] [--runs N] [--mutation NAME] [--feed-topics] [--power-cuts] [--policies] [--databases] [--losses]
/// [--copied-store] [--pushes always|never] [--store weak|strict] [--trace] [--survey] [--twice]`: plays histories of seeds N, N+1,
/// … and ends with 1 at the first that fails, after it has printed its seed and a shorter history that fails as well.
@main enum Simulate {
    static func main() throws {
        // Dictionaries and sets that are in another order in each process would make another history of each seed.
        if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
            execv("/proc/self/exe", &arguments)
            throw POSIXError(.ENOEXEC)
        }
        SimulatedExecutors.install()
        WorkerThreads.runsInline.store(true, ordering: .relaxed)
        let options = Options(CommandLine.arguments.dropFirst())
        // The services log every injected fault.
        if !options.isTraced { dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) }
        try run(options)
    }

    private static func run(_ options: Options) throws {
        Mutation.activate(options.mutation)
        World.hasFeedTopics.store(options.hasFeedTopics, ordering: .relaxed)
        World.hasPowerCuts.store(options.hasPowerCuts, ordering: .relaxed)
        let store = try SimulatedStore { Scheduler.shared.random(below: $0) }
        try store.write { transaction in
            for (number, user) in World.users.enumerated() {
                try transaction.addUser(user, .development("user\(number)"), at: Timestamp(milliseconds: 0))
            }
        }
        let clock = ContinuousClock()
        let began = clock.now
        var steps = 0
        var failures = 0
        for seed in options.seed..<options.seed + options.runs {
            let history = History(
                seed: seed, hasPushes: options.hasPushes ?? (seed % 4 == 0), hasPolicies: options.hasPolicies,
                isWeak: options.isWeak ?? (seed % 2 == 1), extras: options.extras)
            let outcome = try history.run(on: store, traced: options.isTraced)
            steps += outcome.steps
            if options.isTraced { print(outcome.trace.joined(separator: "\n")) }
            if options.isTwice, try history.run(on: store).digest != outcome.digest {
                print("seed \(seed): a second run of the same history was another one")
                exit(1)
            }
            if outcome.complaints.isEmpty { continue }
            failures += 1
            if !options.isSurvey { try report(history, outcome, store) }
            print("seed \(seed): \(outcome.complaints[0])")
        }
        let seconds = (clock.now - began) / .seconds(1)
        print(
            "\(options.runs) histories from seed \(options.seed), \(steps) steps,",
            "\(String(format: "%.1f", seconds)) s: \(failures) failed")
        if failures > 0 { exit(1) }
    }

    private static func arguments(_ history: History) -> String {
        (World.hasFeedTopics.load(ordering: .relaxed) ? "--feed-topics " : "")
            + (history.policies != nil ? "--policies " : "")
            + (World.hasPowerCuts.load(ordering: .relaxed) ? "--power-cuts " : "")
            + history.extras.arguments
            + "--pushes \(history.hasPushes ? "always" : "never") --store \(history.isWeak ? "weak" : "strict")"
    }

    private static func report(_ history: History, _ outcome: History.Outcome, _ store: SimulatedStore) throws -> Never
    {
        print("seed \(history.seed) fails:")
        for complaint in outcome.complaints { print("  \(complaint)") }
        let short = try Shrinker(store: store).shrink(history)
        let last = try short.run(on: store, traced: true)
        print("A shorter history that fails:")
        for (number, step) in short.script.steps.enumerated() { print("  step \(number) \(step)") }
        for fault in short.faults { print("  fault: \(fault)") }
        for complaint in last.complaints { print("  \(complaint)") }
        print("Its last lines:")
        for line in last.trace.suffix(60) { print("  \(line)") }
        print(
            "make simulate SEED=\(history.seed) RUNS=1 ARGS=\"\(arguments(history))\" brings it back"
        )
        exit(1)
    }
}
