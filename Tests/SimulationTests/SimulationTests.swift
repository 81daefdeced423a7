import Foundation
import TestSupport
import Testing

/// The services under the scheduler of `Tests/Simulation`, which is a program of its own: its default executor is the whole
/// process's.
@Suite(.serialized) struct SimulationTests {
    @Test("a seed brings the same history back, step by step")
    func aSeedBringsTheSameHistoryBack() async throws {
        // A process that stands still for a tenth of a second between two instructions may take another history.
        let run = try await Simulation.run(["--seed", "1", "--runs", "150", "--twice"], niceness: 0)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(
        "ten thousand histories lose nothing, double nothing, and come to rest",
        arguments: [1...5_000, 5_001...10_000])
    func tenThousandHistories(seeds: ClosedRange<Int>) async throws {
        let run = try await Simulation.run(["--seed", "\(seeds.lowerBound)", "--runs", "\(seeds.count)"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("histories in which users share journals lose nothing and double nothing either")
    func sharedJournals() async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "2000", "--sharded"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("a mistake is found, its history is shortened, and its seed brings it back", arguments: Simulation.mutations)
    func aMistakeIsFound(mutation: String) async throws {
        let first = "\(Simulation.starts[mutation] ?? 1)"
        let run = try await Simulation.run(["--seed", first, "--runs", "6000", "--mutation", mutation])
        #expect(run.status == 1, "\(mutation) was not found: \(run.output)")
        let seed = run.output.firstMatch(of: /seed (\d+) fails/).map { String($0.1) }
        #expect(run.output.contains("A shorter history that fails"))
        let again = try await Simulation.run(["--seed", seed ?? "", "--runs", "1", "--mutation", mutation])
        #expect(again.output == run.output)
        let unharmed = try await Simulation.run(["--seed", seed ?? "", "--runs", "1"])
        #expect(unharmed.status == 0, "without the mistake nothing is wrong: \(unharmed.output)")
    }
}

/// The program `simulate`, which is built with the tests.
enum Simulation {
    /// The mistakes of `Tests/Simulation/World/Mutation.swift`.
    static let mutations = [
        "skip-a-commit", "commit-before-writing", "forget-positions", "repeats-are-news", "state-to-told-end",
        "lookahead-forgotten", "drop-kept-positions", "sweep-without-the-store", "keep-the-incarnation",
        "tombstone-by-settings", "wait-for-told-end", "journal-left-at-told-end",
    ]

    /// Seeds shortly before those that find mistakes which few histories meet.
    static let starts = [
        "drop-kept-positions": 490, "tombstone-by-settings": 1_960, "sweep-without-the-store": 1_740,
    ]

    static func run(_ arguments: [String], niceness: Int = 15) async throws -> (status: Int32, output: String) {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("simulate")
        let folder = TemporaryFolder()
        let path = folder.path("out")
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        let status = try await withCheckedThrowingContinuation { continuation in
            do {
                // Behind the other tests, some of which have deadlines.
                try ChildProcess("/usr/bin/nice", ["-n", "\(niceness)", program.path] + arguments, output: file).run {
                    continuation.resume(returning: $0)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return (status, try String(contentsOfFile: path, encoding: .utf8))
    }
}
