import KafkaClient
import Testing

/// A member that no coordinator has named is left behind, as librdkafka may not survive its end (`DESIGN.md`, Group
/// member).
@Suite("A member that is never destroyed")
struct AbandonedMemberTests {
    /// What one member's log goes to.
    private final class Log: Sendable {
        let lines = Observed(0)
    }

    @Test("its threads still find what they call, and are not heard")
    func calls() async throws {
        let log = Log()
        let line: @Sendable (KafkaLogLine) -> Void = { _ in log.lines.update { $0 += 1 } }
        // A first one, so that memory which is freed by mistake is used again by a second.
        weak let abandoned = try await leave()
        let second = try member(line)
        try await log.lines.wait(for: "what a member without a broker says") { $0 >= 20 }
        #expect(abandoned != nil, "librdkafka goes on calling what is freed")
        let heard = abandoned?.lines.value
        let count = log.lines.value
        try await log.lines.wait(for: "as much again") { $0 >= count + 20 }
        #expect(abandoned?.lines.value == heard)
        await second.close()
    }

    /// Makes a member that no broker answers, closes it, and returns its log, which nothing of this test holds any
    /// more.
    private func leave() async throws -> Log? {
        let log = Log()
        let member = try member { [log] _ in log.lines.update { $0 += 1 } }
        try await log.lines.wait(for: "what it says before") { $0 >= 20 }
        await member.close()
        weak let left = log
        return left
    }

    private func member(_ log: @escaping @Sendable (KafkaLogLine) -> Void) throws -> KafkaGroupConsumer {
        // Nobody listens at port 1; each attempt is a line of the log.
        let configuration = KafkaConfiguration(
            bootstrapServers: "127.0.0.1:1",
            properties: [
                "reconnect.backoff.ms": "1", "reconnect.backoff.max.ms": "5", "debug": "broker",
                "log.connection.close": "true",
            ], log: log)
        return try KafkaGroupConsumer(configuration, group: "abandoned", topics: ["t"]) { _ in }
    }
}
