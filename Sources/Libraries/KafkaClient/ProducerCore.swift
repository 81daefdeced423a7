import CRDKafka
import Synchronization
import Waiting

/// The part that both kinds of producers share: a client of librdkafka, and the thread that alone hands messages to it
/// and takes its delivery reports. It lives until that thread has ended, which is some time after `close`.
final class ProducerCore: Sendable {
    let client: Client
    /// For calls that block; one thread, so they are serial.
    let calls: CallThreads
    let wakeup = Wakeup()
    let inbox = Inbox<ProducerSubmissions.Command>()
    let submissions = Mutex(ProducerSubmissions())
    /// Indicates whether a refused message ends the transaction only, and not the producer.
    let isTransactional: Bool
    private let messageBytesMax: Int

    init(
        _ configuration: KafkaConfiguration, _ properties: Client.Properties, isTransactional: Bool,
        topicHandlesMax: Int
    ) throws(KafkaError) {
        client = try Client(
            RD_KAFKA_PRODUCER, configuration, properties, events: RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR,
            callbacks: ClientCallbacks(configuration))
        calls = CallThreads(name: "kafka-calls", threadsMax: 1)
        self.isTransactional = isTransactional
        messageBytesMax = client.property("message.max.bytes").flatMap { Int($0) } ?? 1_000_000
        DedicatedThread.start(named: "kafka-producer") {
            ProducerLoop(self, topicHandlesMax: topicHandlesMax).run()
        }
    }

    /// The error that ended the producer, nil while it lives.
    var failure: KafkaError? { submissions.withLock(\.failure) }

    /// Hands a batch over, or throws and takes nothing of it. `completion` is called once, on the producer's thread.
    func enqueue(
        _ messages: [KafkaOutgoingMessage], completion: @escaping InFlightBatch.Completion
    ) throws(KafkaError) {
        try checkSizes(of: messages)
        try submissions.withLock { (submissions) throws(KafkaError) in
            try submissions.submit(
                ProducerSubmissions.Submission(messages: messages, completion: completion),
                attempt: "send \(messages.count) messages")
        }
        wakeup.signal()
    }

    /// Throws if a message is larger than librdkafka's configured maximum.
    func checkSizes(of messages: [KafkaOutgoingMessage]) throws(KafkaError) {
        guard let index = messages.indices.first(where: { messages[$0].encodedBytesMax > messageBytesMax }) else {
            return
        }
        let large = messages[index]
        throw KafkaError(
            RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, "send a batch to \(large.topic)[\(large.partition)]",
            detail: "a message takes up to \(large.encodedBytesMax) bytes, over message.max.bytes, which is "
                + "\(messageBytesMax); nothing of the batch was sent")
    }

    /// Hands a batch over and waits until all of it is acknowledged.
    /// - Parameter grace: how long to wait after a cancellation. Messages without an acknowledgement then stay in
    ///   flight.
    func send(_ messages: [KafkaOutgoingMessage], grace: Duration = .zero) async throws(KafkaError) -> [Int64] {
        let answer = Answer<Result<[Int64], KafkaError>>()
        try enqueue(messages) { answer.give($0) }
        return try await answer.value(grace: grace) { .failure(.cancelled("send \(messages.count) messages")) }.get()
    }

    /// Waits until nothing is under way; the reason if a batch failed since the transaction began.
    func drain() async -> KafkaError? {
        let answer = Answer<KafkaError?>()
        post(.drain { answer.give($0) })
        return await answer.value { .cancelled("wait for messages") }
    }

    /// Leaves a command for the producer's thread.
    func post(_ command: ProducerSubmissions.Command) {
        if inbox.post(command) { return wakeup.signal() }
        switch command {
        case .adopt(_, let handle): handle.destroy()
        case .drain(let answer): answer(.closed("wait for messages"))
        case .forget, .fail, .begin, .close: break
        }
    }

    /// Makes handles for topics and waits until their leaders are known.
    func prepare(topics: [String], patience: Duration) async throws(KafkaError) {
        let attempt = "prepare to send to \(topics.count) topics"
        try await calls.run(attempt) { () -> Result<Void, KafkaError> in
            // One request for all first: a handle made from cached metadata sends none.
            let partitions = topics.map { KafkaTopicPartition(topic: $0, partition: 0) }
            return self.client.absent(among: partitions, patience: patience, milliseconds: 30_000).flatMap { absent in
                guard absent.isEmpty else {
                    return .failure(
                        KafkaError(
                            RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, attempt,
                            detail: "there is no \(Client.summary(absent.sorted())); create them first"))
                }
                for topic in topics {
                    do throws(KafkaError) {
                        self.post(.adopt(topic: topic, try TopicHandle(topic, of: self.client)))
                    } catch {
                        return .failure(error)
                    }
                }
                return .success(())
            }
        }
    }

    /// Refuses further batches and ends the producer's thread once all is acknowledged, or at the deadline.
    func close(deadline: ContinuousClock.Instant) {
        submissions.withLock { $0.isClosed = true }
        post(.close(deadline: deadline))
    }
}
