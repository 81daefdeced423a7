import Foundation
import TestSupport
import Testing

/// The services under the scheduler of `Tests/Simulation`, which is a program of its own: its default executor is the
/// whole process's. Not serialised, as each case of a serialised suite waits behind all other tests that are ready: the
/// last ones ran alone at the end.
@Suite struct SimulationTests {
    @Test("a seed brings the same history back, step by step")
    func aSeedBringsTheSameHistoryBack() async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "150", "--twice"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("two thousand histories lose nothing, double nothing, and come to rest")
    func histories() async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "2000"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("histories in which devices have topics beside the journals: each has what its device reads over HTTP")
    func feedTopics() async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "500", "--feed-topics"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(
        "histories in which devices are pushed to: each push is sent, in order, and repeats have a reason and their ID")
    func pushes() async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "800", "--pushes", "always"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("histories in which policies hold notifications: each change is in one of them")
    func policies() async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "200", "--policies"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(
        "histories with private databases, with two losses or more, and with a copy of the store that is run as well",
        arguments: ["--databases", "--losses", "--copied-store"])
    func extras(option: String) async throws {
        let run = try await Simulation.run(["--seed", "1", "--runs", "50", option])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("histories on a store that is no stronger than the port: late commits, gaps, closures that run again")
    func weakStores() async throws {
        for plays in [[], ["--power-cuts"], ["--pushes", "always"]] {
            let run = try await Simulation.run(["--seed", "5001", "--runs", "500", "--store", "weak"] + plays)
            #expect(run.status == 0, "\(run.output)")
        }
    }

    @Test("histories that found a fault once pass", arguments: try Simulation.regressions())
    func regressions(arguments: [String]) async throws {
        let run = try await Simulation.run(arguments + ["--runs", "1"])
        #expect(run.status == 0, "\(run.output)")
    }
}

/// The program `simulate`, which is built with the tests.
enum Simulation {
    /// The mistakes of `Tests/Simulation/World/Mutation.swift`.
    static let mutations =
        [
            "skip-a-commit", "commit-before-writing", "forget-positions", "repeats-are-news", "state-to-reported-end",
            "lookahead-forgotten", "drop-kept-positions", "keep-the-incarnation", "tombstone-by-settings",
            "wait-for-reported-end",
        ] + mutationsOfTopics + mutationsOfPushes + mutationsOfPolicies + mutationsOfWeakStores

    /// Those that only histories with topics of devices meet.
    static let mutationsOfTopics = ["sweep-without-the-store"]

    /// Those that only a store meets which is no stronger than the port.
    static let mutationsOfWeakStores = [
        "last-subscription-of-the-transaction", "versions-go-at-once", "settled-above-open-writes",
    ]

    /// Those that only histories with push senders meet.
    static let mutationsOfPushes = ["position-without-rows", "push-id-is-random", "older-push-is-sent"]

    /// Those that only histories with policies meet.
    static let mutationsOfPolicies = ["held-changes-are-forgotten"]

    /// Seeds shortly before those that find mistakes which few histories meet, or whose histories are shortened quickly.
    static let starts = [
        "drop-kept-positions": 44_715, "tombstone-by-settings": 1_960, "sweep-without-the-store": 5_815,
        "state-to-reported-end": 210, "skip-a-commit": 29, "keep-the-incarnation": 65, "wait-for-reported-end": 290,
        "versions-go-at-once": 15_650,
    ]

    /// The lines of `Tests/Simulation/seeds` as arguments.
    static func regressions() throws -> [[String]] {
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Simulation/seeds")
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard let seed = words.first, !seed.hasPrefix("#") else { return nil }
            return ["--seed", seed, "--pushes", words.contains("pushes") ? "always" : "never"]
                + ["--store", words.contains("weak") ? "weak" : "strict"]
                + ["feed-topics", "power-cuts", "policies", "databases", "losses", "copied-store"]
                .filter(words.contains).map { "--\($0)" }
        }
    }

    static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("simulate")
        let folder = TemporaryFolder()
        let path = folder.path("out")
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        let status = try await withCheckedThrowingContinuation { continuation in
            do {
                try ChildProcess(program.path, arguments, output: file).run {
                    continuation.resume(returning: $0)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return (status, try String(contentsOfFile: path, encoding: .utf8))
    }
}
