import TestSupport
import Testing

/// Tokens of a journal that others write and trim meanwhile (docs/delivery.md#change-tokens).
@Suite struct JournalSimulationTests {
    @Test("every token goes on exactly where it stands", arguments: 1...150, [false, true])
    func tokens(seed: UInt64, hasView: Bool) async throws {
        try await within("seed \(seed), view \(hasView)") {
            try await JournalSimulation.play(seed, trims: false, hasView: hasView)
        }
    }

    @Test("retention expires tokens and loses nothing else", arguments: 1000...1200, [false, true])
    func retention(seed: UInt64, hasView: Bool) async throws {
        try await within("seed \(seed), view \(hasView)") {
            try await JournalSimulation.play(seed, trims: true, hasView: hasView)
        }
    }
}
