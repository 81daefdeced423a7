/// One call's messages on their way: in the queue, with librdkafka, acknowledged.
final class InFlightBatch {
    /// Called once, on the producer's thread, with the offsets of all messages in their order.
    typealias Completion = @Sendable (Result<[Int64], KafkaError>) -> Void

    private(set) var messages: [KafkaOutgoingMessage]
    /// The next message to be handed to librdkafka.
    private(set) var cursor = 0
    private var offsets: [Int64]
    /// Messages that librdkafka has and has not reported on.
    private var outstanding = 0
    private var completion: Completion?

    init(_ messages: [KafkaOutgoingMessage], _ completion: @escaping Completion) {
        self.messages = messages
        self.offsets = Array(repeating: -1, count: messages.count)
        self.completion = completion
    }

    /// Indicates whether librdkafka has, or will get, no more of it.
    var isFed: Bool { cursor == offsets.count }
    /// Indicates whether nothing of it is under way any more.
    var isDone: Bool { isFed && outstanding == 0 }

    /// Takes note that librdkafka took the next `count` messages.
    func advance(by count: Int) {
        cursor += count
        outstanding += count
        if isFed { messages = [] }
    }

    /// Takes note of an acknowledgement.
    @inline(__always)
    func acknowledged(_ index: Int, offset: Int64) {
        offsets[index] = offset
        outstanding -= 1
        if outstanding == 0, isFed { complete(.success(offsets)) }
    }

    /// Takes note that one message will not be acknowledged, which fails the whole batch.
    func refused(_ error: KafkaError) {
        outstanding -= 1
        fail(error)
    }

    /// Fails the batch: what librdkafka has not got yet it never gets.
    func fail(_ error: KafkaError) {
        cursor = offsets.count
        messages = []
        complete(.failure(error))
    }

    /// Completes a batch without messages.
    func completeEmpty() { complete(.success([])) }

    private func complete(_ result: Result<[Int64], KafkaError>) {
        completion?(result)
        completion = nil
    }
}
