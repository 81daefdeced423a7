/// Batches that wait for a producer's thread, and whether it takes any.
struct ProducerSubmissions {
    /// A batch that was handed over and not begun.
    struct Submission: Sendable {
        let messages: [KafkaOutgoingMessage]
        let completion: InFlightBatch.Completion
    }

    /// A command to the thread, beside batches. Commands are carried out in their order, before batches that came with
    /// them.
    enum Command: Sendable {
        /// Keep a handle that was made elsewhere.
        case adopt(topic: String, TopicHandle)
        case forget(topics: [String])
        /// Answer when nothing is under way, with the reason if a batch failed since the transaction began.
        case drain(@Sendable (KafkaError?) -> Void)
        /// Fail messages in flight, and every batch until a transaction starts.
        case fail(KafkaError)
        /// A transaction begins: failures of the last one are over.
        case begin
        /// End when nothing is under way, or at the deadline, which fails the rest.
        case close(deadline: ContinuousClock.Instant)
    }

    private var waiting: [Submission] = []
    /// The error that ended the producer.
    var failure: KafkaError?
    var isClosed = false

    /// Enters a batch, if the producer still takes any.
    mutating func submit(_ submission: Submission, attempt: String) throws(KafkaError) {
        if let failure { throw failure }
        if isClosed { throw .closed(attempt) }
        waiting.append(submission)
    }

    /// The batches that were handed over since the last time, in order.
    mutating func take() -> [Submission] {
        defer { waiting.removeAll() }
        return waiting
    }
}
