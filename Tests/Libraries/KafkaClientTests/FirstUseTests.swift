import CRDKafka
import KafkaClient
import Testing

/// librdkafka gets a topic's metadata either at once, by a request of its own, or at a timer of a second. Its log has
/// the requests, and their numbers of topics.
@Suite(
    "The first use of a topic",
    .enabled(if: rd_kafka_version() < 0x0203_0000, "topics of 2.3's mock cluster do not make themselves"))
struct FirstUseTests {
    private let cluster: KafkaMockCluster
    private let configuration: KafkaConfiguration
    private let requests = Observed<[String]>([])
    private let topics = (0..<200).map { "topic-\($0)" }

    init() throws {
        cluster = try KafkaMockCluster()
        // The topics make themselves; to create one takes the mock cluster 0.2 s.
        let requests = requests
        var configuration = KafkaConfiguration(
            bootstrapServers: cluster.bootstrapServers,
            properties: ["debug": "metadata"])
        configuration.log = { line in
            // "…: Request metadata for 3 topic(s): leader query"
            guard line.facility == "METADATA", line.message.contains("Request metadata for") else { return }
            // The timer's own question, on a machine that is busy for longer than a second.
            guard !line.message.contains("refresh unavailable topics") else { return }
            requests.update { $0.append(line.message) }
        }
        self.configuration = configuration
    }

    @Test("a producer asks for a new topic by itself at once, and for prepared ones not again")
    func producer() async throws {
        let producer = try KafkaProducer(configuration)
        _ = try await producer.send([KafkaOutgoingMessage(topics[0], 0, "x")])
        // By the topic's handle, or when the connection comes up if that is later.
        #expect(requests.value.contains { $0.contains("for 1 topic(s)") }, "\(requests.value)")

        requests.update { $0 = [] }
        try await producer.prepare(topics: topics)
        #expect(requests.value.count == 1, "\(requests.value)")
        #expect(requests.value.first?.contains("199 topic(s)") == true, "\(requests.value)")
        _ = try await producer.send(topics.map { KafkaOutgoingMessage($0, 0, "x") })
        #expect(requests.value.count == 1, "\(requests.value)")
        await producer.close()
    }

    @Test("a reader asks for a new topic by itself at once, and for many of them together")
    func reader() async throws {
        let producer = try KafkaProducer(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        _ = try await producer.send(topics.map { KafkaOutgoingMessage($0, 0, "x") })
        await producer.close()
        let (reader, observed) = try observedReader(configuration)
        reader.add([KafkaTopicPartition(topic: topics[0], partition: 0): 0])
        try await observed.wait(for: "the first topic") { $0.messages.count == 1 }
        #expect(requests.value.contains { $0.contains("for 1 topic(s)") }, "\(requests.value)")

        requests.update { $0 = [] }
        let rest = topics.dropFirst().map { KafkaTopicPartition(topic: $0, partition: 0) }
        reader.add(Dictionary(uniqueKeysWithValues: rest.map { ($0, 0) }))
        try await observed.wait(for: "all topics") { $0.messages.count == 200 }
        // On a busy machine the timer may come round meanwhile.
        var asked = requests.value.filter { !$0.contains("refresh unavailable topics") }
        // One request for the first topic's leader may be late, as it was under way when the list was emptied.
        if asked.first?.contains("for 1 topic(s): query partition leaders") == true { asked.removeFirst() }
        #expect(asked.count == 1 && asked.first?.contains("199 topic(s)") == true, "\(requests.value)")
        await reader.close()
    }
}
