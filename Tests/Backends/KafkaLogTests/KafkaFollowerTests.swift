import EventLog
import TestSupport
import Testing

@testable import KafkaLog

/// A follower between the client's thread and its reader.
@Suite struct KafkaFollowerTests {
    @Test("a reader that is cancelled while an entry comes ends, and the client's thread goes on")
    func cancelledWhileReceiving() async throws {
        try await within {
            let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: "127.0.0.1:1"))
            for number in 0..<100_000 {
                let follower = KafkaFollower(TopicPartition(TopicName("t"), 0), from: 0, log: log)
                let reader = Task { try await follower.next() }
                // Both sides move on to the same moment by chance.
                for _ in 0..<number % 4 { await Task.yield() }
                async let received: Void = Task.detached {
                    follower.received([
                        LogEntry(offset: 0, timestamp: LogTimestamp(milliseconds: 0), key: nil, value: [1], headers: [])
                    ])
                }.value
                reader.cancel()
                await received
                _ = await reader.result
                follower.close()
            }
            await log.close()
        }
    }
}
