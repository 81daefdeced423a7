import Synchronization

/// An answer whose body is consumed as it comes: `for try await bytes in stream`. For one consumer.
///
/// The connection is read only as fast as the consumer consumes. The transfer ends with the sequence, with the
/// cancellation of the consuming task, by `cancel`, or when the last reference is released.
package final class HTTPClientStream: AsyncSequence, Sendable {
    /// Bytes as they came, in pieces of any size.
    package typealias Element = [UInt8]

    private struct State {
        var buffer: ChunkBuffer
        var consumer: CheckedContinuation<[UInt8]?, any Error>?
    }

    /// The status; 400 and above have a body like any other.
    package let status: Int
    /// The header fields.
    package let headers: HTTPClientHeaders

    private let channel: Channel
    private let abort: @Sendable () -> Void

    init(status: Int, headers: HTTPClientHeaders, channel: Channel, abort: @escaping @Sendable () -> Void) {
        self.status = status
        self.headers = headers
        self.channel = channel
        self.abort = abort
    }

    deinit { abort() }

    /// Ends the transfer; a consumer that waits gets a `CancellationError`.
    package func cancel() {
        abort()
        channel.finish(.failed(CancellationError()))
    }

    /// The one iterator of the one consumer.
    package func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// The iterator of `for try await`.
    package struct Iterator: AsyncIteratorProtocol {
        let stream: HTTPClientStream

        /// The next bytes, never empty; nil at the end. Throws `HTTPClientError` or `CancellationError`.
        package mutating func next() async throws -> [UInt8]? {
            try await withTaskCancellationHandler {
                try await stream.channel.next()
            } onCancel: { [stream] in
                stream.cancel()
            }
        }
    }
}

extension HTTPClientStream {
    /// Between the client's thread, which fills it, and the consumer.
    final class Channel: Sendable {
        private let state: Mutex<State>
        private let goOn: @Sendable () -> Void

        /// `goOn` is called when a pause is over.
        init(bytesMaximum: Int, goOn: @escaping @Sendable () -> Void) {
            state = Mutex(State(buffer: ChunkBuffer(bytesMaximum: bytesMaximum)))
            self.goOn = goOn
        }

        /// False when the connection must pause.
        func offer(_ chunk: UnsafeRawBufferPointer) -> Bool {
            state.withLock { state in
                guard state.buffer.offer(chunk) else { return false }
                state.consumer.take()?.resume(returning: state.buffer.take().bytes)
                return true
            }
        }

        func finish(_ end: ChunkBuffer.End) {
            let consumer = state.withLock { state in
                state.buffer.finish(end)
                return state.consumer.take()
            }
            guard let consumer else { return }
            switch end {
            case .finished: consumer.resume(returning: nil)
            case .failed(let error): consumer.resume(throwing: error)
            }
        }

        func next() async throws -> [UInt8]? {
            let (bytes, goesOn) = try await take()
            if goesOn { goOn() }
            return bytes
        }

        private func take() async throws -> ([UInt8]?, Bool) {
            let ready: ([UInt8]?, Bool)? = try state.withLock { try Self.takeReady(&$0) }
            if let ready { return ready }
            let bytes = try await withCheckedThrowingContinuation { continuation in
                let settled: Result<([UInt8]?, Bool), any Error>? = state.withLock { state in
                    do {
                        if let ready = try Self.takeReady(&state) { return .success(ready) }
                    } catch {
                        return .failure(error)
                    }
                    precondition(state.consumer == nil, "a stream has one consumer")
                    state.consumer = continuation
                    return nil
                }
                if let settled {
                    if case .success((_, true)) = settled { goOn() }
                    continuation.resume(with: settled.map(\.0))
                }
            }
            return (bytes, false)
        }

        private static func takeReady(_ state: inout State) throws -> ([UInt8]?, Bool)? {
            let (bytes, goesOn) = state.buffer.take()
            if let bytes { return (bytes, goesOn) }
            switch state.buffer.end {
            case .finished?: return (nil, false)
            case .failed(let error)?: throw error
            case nil: return nil
            }
        }
    }
}
