import KafkaClient
import Testing

/// Which partitions a reader asks for when it begins with them: at once, or when nothing came of them.
@Suite struct LivePartitionsTests {
    private let partition = KafkaTopicPartition(topic: "feed", partition: 0)
    private let begin = ContinuousClock.now

    @Test("one that was heard of is not asked for when something comes of it")
    func heardAgain() {
        var heard = LivePartitions()
        #expect(!heard.knows(partition))
        heard.note(partition)
        heard.expect(partition, now: begin)
        heard.note(partition)
        let overdue = heard.overdue(now: begin + .seconds(1))
        #expect(heard.knows(partition) && overdue.isEmpty && !heard.isWaiting)
    }

    @Test("one that is not wanted any more is not asked for")
    func forgotten() {
        var heard = LivePartitions()
        heard.expect(partition, now: begin)
        heard.forget(partition)
        let overdue = heard.overdue(now: begin + .seconds(60))
        #expect(overdue.isEmpty && !heard.isWaiting)
    }

    @Test(
        "one of which nothing comes is asked for again and again, at growing distances: a broker may answer from before a deletion",
        arguments: [false, true])
    func silent(isKnown: Bool) {
        var heard = LivePartitions()
        if isKnown { heard.note(partition) }
        heard.expect(partition, now: begin)
        var asked: [Int] = []
        for milliseconds in stride(from: 0, through: 20_000, by: 100) {
            let overdue = heard.overdue(now: begin + .milliseconds(milliseconds))
            if overdue == [partition] { asked.append(milliseconds) } else { #expect(overdue.isEmpty) }
        }
        #expect(heard.isWaiting && !heard.knows(partition))
        let expected =
            isKnown
            ? [100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]
            : [1_000, 3_000, 7_000, 12_000, 17_000]
        #expect(asked == expected)
    }
}
