import Testing

/// Mistakes that the simulation has to find.
@Suite("Mistakes in simulations") struct MistakeTests {
    @Test("a mistake is found, its history is shortened, and its seed brings it back", arguments: Simulation.mutations)
    func aMistakeIsFound(mutation: String) async throws {
        let first = "\(Simulation.starts[mutation] ?? 1)"
        let isOfTopics = Simulation.mutationsOfTopics.contains(mutation)
        let isOfPushes = Simulation.mutationsOfPushes.contains(mutation)
        let isOfPolicies = Simulation.mutationsOfPolicies.contains(mutation)
        let isOfWeakStores = Simulation.mutationsOfWeakStores.contains(mutation)
        let plays =
            ["--pushes", isOfPushes ? "always" : "never", "--store", isOfWeakStores ? "weak" : "strict"]
            + (isOfTopics ? ["--feed-topics"] : []) + (isOfPolicies ? ["--policies"] : [])
        let options = plays + ["--mutation", mutation]
        let run = try await Simulation.run(["--seed", first, "--runs", "6000"] + options)
        #expect(run.status == 1, "\(mutation) was not found: \(run.output)")
        let seed = run.output.firstMatch(of: /seed (\d+) fails/).map { String($0.1) }
        #expect(run.output.contains("A shorter history that fails"))
        let again = try await Simulation.run(["--seed", seed ?? "", "--runs", "1"] + options)
        #expect(again.output == run.output)
        let unharmed = try await Simulation.run(["--seed", seed ?? "", "--runs", "1"] + plays)
        #expect(unharmed.status == 0, "without the mistake nothing is wrong: \(unharmed.output)")
    }
}
