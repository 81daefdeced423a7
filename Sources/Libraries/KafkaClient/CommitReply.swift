import Synchronization

/// The reply to a commit; given once, by librdkafka's callback or at the consumer's end.
final class CommitReply: Sendable {
    private let waiter: Mutex<(@Sendable (KafkaError?) -> Void)?>

    init(_ waiter: @escaping @Sendable (KafkaError?) -> Void) {
        self.waiter = Mutex(waiter)
    }

    var isAnswered: Bool { waiter.withLock { $0 == nil } }

    func answer(_ error: KafkaError?) {
        let waiter = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?(error)
    }
}
