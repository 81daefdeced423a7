/// The requests of other threads to a producer's thread, and its replies.
struct ProducerInbox {
    /// A batch that was handed over and not begun.
    struct Submission: Sendable {
        let messages: [KafkaOutgoingMessage]
        let completion: InFlightBatch.Completion
    }

    /// Anything but a batch. Commands are carried out in their order, before batches that came with them.
    enum Command: Sendable {
        /// Keep a handle that was made elsewhere.
        case adopt(topic: String, TopicHandle)
        case forget(topics: [String])
        /// Answer when nothing is under way, with the reason if a batch failed since the transaction began.
        case drain(@Sendable (KafkaError?) -> Void)
        /// Fail what is under way, and every batch from now on, until a transaction begins.
        case fail(KafkaError)
        /// A transaction begins: failures of the last one are over.
        case begin
        /// End when nothing is under way, or at the deadline, which fails the rest.
        case close(deadline: ContinuousClock.Instant)
    }

    var submissions: [Submission] = []
    var commands: [Command] = []
    /// The error that ended the producer.
    var failure: KafkaError?
    var isClosed = false
    /// Called when the producer's thread has ended and librdkafka's client is destroyed.
    var ends: [@Sendable () -> Void] = []
    var hasEnded = false

    /// Enters a batch, if the producer still takes any.
    mutating func submit(_ submission: Submission, attempt: String) throws(KafkaError) {
        if let failure { throw failure }
        if isClosed { throw .closed(attempt) }
        submissions.append(submission)
    }
}
