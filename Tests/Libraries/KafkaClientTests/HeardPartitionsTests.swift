import KafkaClient
import Testing

/// Which partitions a reader asks for when it begins with them: at once, or when nothing came of them.
@Suite struct HeardPartitionsTests {
    private let partition = KafkaTopicPartition(topic: "feed", partition: 0)
    private let begin = ContinuousClock.now

    @Test("a partition that was never heard of is asked for at once")
    func new() {
        var heard = HeardPartitions()
        let isExpected = heard.expect(partition, version: 1, now: begin)
        #expect(!isExpected && !heard.isWaiting)
    }

    @Test("one that was heard of is not asked for when something comes of it")
    func heardAgain() {
        var heard = HeardPartitions()
        heard.note(partition)
        let isExpected = heard.expect(partition, version: 2, now: begin)
        heard.note(partition)
        let overdue = heard.takeOverdue(now: begin + .seconds(1))
        #expect(isExpected && overdue.isEmpty && !heard.isWaiting)
    }

    @Test("one of which nothing comes is asked for once, with its last assignment, and at once the next time")
    func silent() {
        var heard = HeardPartitions()
        heard.note(partition)
        _ = heard.expect(partition, version: 2, now: begin)
        _ = heard.expect(partition, version: 3, now: begin)
        let early = heard.takeOverdue(now: begin)
        #expect(early.isEmpty && heard.isWaiting)
        let overdue = heard.takeOverdue(now: begin + .milliseconds(HeardPartitions.patienceMilliseconds))
        #expect(overdue.map(\.0) == [partition] && overdue.map(\.1) == [3])
        let later = heard.takeOverdue(now: begin + .seconds(1))
        let isExpected = heard.expect(partition, version: 4, now: begin)
        #expect(later.isEmpty && !isExpected && !heard.isWaiting)
    }
}
