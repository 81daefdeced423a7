import MemoryLog
import TestSupport
import Testing

@Suite struct MemoryLogTests {
    @Test(arguments: LogConformance.checks)
    func conforms(_ check: LogConformance.Check) async throws {
        // It has no clock: tests have their own.
        try await check.run(on: MemoryLog(), without: [.appendTimes])
    }
}
