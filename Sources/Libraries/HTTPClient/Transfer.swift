import Synchronization

/// One request on its way between the task that awaits it and the client's thread.
final class Transfer: Sendable {
    /// The reply that the awaiting task gets.
    enum Reply: Sendable {
        case response(HTTPClientResponse)
        case stream(HTTPClientStream)
    }

    /// Set before the client's thread is woken, as the cancellation may come before the transfer.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        var isSet: Bool { flag.load(ordering: .acquiring) }

        func set() { flag.store(true, ordering: .releasing) }
    }

    let identity: UInt64
    let request: HTTPClientRequest
    let isStream: Bool
    let cancellation: Cancellation
    private let continuation: Mutex<UnsafeContinuation<Reply, any Error>?>

    init(
        identity: UInt64, request: HTTPClientRequest, isStream: Bool, cancellation: Cancellation,
        continuation: UnsafeContinuation<Reply, any Error>
    ) {
        self.identity = identity
        self.request = request
        self.isStream = isStream
        self.cancellation = cancellation
        self.continuation = Mutex(continuation)
    }

    /// The first reply counts.
    func reply(_ reply: Result<Reply, any Error>) {
        continuation.withLock { $0.take() }?.resume(with: reply)
    }
}
