import KafkaClient

/// The events of a reader.
struct Reading: Sendable {
    var messages: [KafkaMessage] = []
    var outOfRange: [KafkaTopicPartition: Int64] = [:]
    var ends: [KafkaTopicPartition: Int64] = [:]
    var unknown: [KafkaTopicPartition] = []
    var errors: [KafkaError] = []

    /// Records an event, copying lent messages.
    mutating func take(_ event: KafkaReaderEvent) {
        switch event {
        case .messages(let batch): messages += batch.copies()
        case .endOfPartition(let partition, let offset): ends[partition] = offset
        case .offsetOutOfRange(let partition, let offset): outOfRange[partition] = offset
        case .unknownPartition(let partition): unknown.append(partition)
        case .error(let error): errors.append(error)
        }
    }

    /// The values of a partition's messages as text, in order.
    func texts(_ partition: KafkaTopicPartition) -> [String] {
        messages.filter { $0.topic == partition.topic && $0.partition == partition.partition }.map(\.text)
    }
}

extension KafkaMessage {
    var text: String { value.map { String(decoding: $0, as: UTF8.self) } ?? "<none>" }
}

extension KafkaOutgoingMessage {
    /// A message with a text, and nothing else.
    init(_ topic: String, _ partition: Int32 = 0, _ text: String) {
        self.init(topic: topic, partition: partition, value: Array(text.utf8))
    }
}

/// A reader whose events are observed.
func observedReader(
    _ configuration: KafkaConfiguration
) throws -> (reader: KafkaPartitionReader, observed: Observed<Reading>) {
    let observed = Observed(Reading())
    let reader = try KafkaPartitionReader(configuration) { event in
        observed.update { $0.take(event) }
    }
    return (reader, observed)
}

/// All messages of a partition from the start up to its end, by a reader of its own.
func readAll(
    _ partition: KafkaTopicPartition, _ configuration: KafkaConfiguration, count: Int
) async throws -> [KafkaMessage] {
    let (reader, observed) = try observedReader(configuration)
    reader.add([partition: 0])
    try await observed.wait(for: "\(count) messages of \(partition)") { $0.messages.count >= count }
    await reader.close()
    return observed.value.messages
}
