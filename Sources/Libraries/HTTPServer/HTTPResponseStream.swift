import Synchronization

/// The body of an answer that is written bit by bit, from any thread, for as long as the client listens.
///
/// Writing never waits: bytes that the client has not taken yet are buffered up to a limit, and a client that falls
/// further behind loses its connection. A stream belongs to one answer.
package final class HTTPResponseStream: Sendable {
    private struct State {
        var machine: StreamMachine
        var connection: Connection?
        var observers: [@Sendable (HTTPStreamEnd) -> Void] = []
        var waiters: [Waiter] = []
        var lastWaiter = 0

        /// Takes out one waiter.
        mutating func remove(_ number: Int) -> [Waiter] {
            guard let index = waiters.firstIndex(where: { $0.number == number }) else { return [] }
            return [waiters.remove(at: index)]
        }

        /// Takes out the waiters whose wait is over.
        mutating func woken() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            var isOver = false
            if case .ended = machine.phase { isOver = true }
            let buffered = machine.buffered
            let woken = waiters.filter { isOver || buffered < $0.below }
            waiters.removeAll { isOver || buffered < $0.below }
            return woken
        }
    }

    /// A writer that waits until the client has taken more.
    private struct Waiter {
        var number: Int
        var below: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private let state: Mutex<State>
    /// The bytes of the whole body where they are known; `Content-Length` says them.
    let length: Int?

    /// A stream that may be written to at once; it is sent with its answer.
    /// - Parameter length: the bytes that will be written, if known; fewer end the connection. Nil sends chunks.
    package init(bufferBytesMaximum: Int = 256 << 10, length: Int? = nil) {
        self.length = length
        state = Mutex(State(machine: StreamMachine(bufferBytesMaximum: bufferBytesMaximum)))
    }

    /// Sends bytes after those before; they leave at once when the client keeps up. False when the stream is over.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        let (isAccepted, isOverflow) = state.withLock { state in
            switch state.machine.write(bytes) {
            case .accepted(let wake):
                if wake { state.connection?.resume() }
                return (true, false)
            case .overflowed(let wake):
                state.connection?.abort()
                if wake { state.connection?.resume() }
                return (false, true)
            case .refused: return (false, false)
            }
        }
        if isOverflow { callObservers() }
        return isAccepted
    }

    /// Waits until fewer than this many bytes wait for the client, so that a writer is no faster than the reader.
    /// Returns at once after the end of the stream, or a cancellation of the task.
    package func drained(below bytes: Int) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let woken = state.withLock { state in
                    state.waiters.append(Waiter(number: number, below: bytes, continuation: continuation))
                    // The cancellation may have come before the waiter was there to be found.
                    return Task.isCancelled ? state.remove(number) : state.woken()
                }
                for waiter in woken { waiter.continuation.resume() }
            }
        } onCancel: {
            for waiter in state.withLock({ $0.remove(number) }) { waiter.continuation.resume() }
        }
    }

    /// Closes the connection of a client that does not read; unsent bytes are lost.
    package func abandon() {
        state.withLock { $0.connection?.abort() }
        end(.readerTooSlow)
    }

    /// Ends the answer after the written bytes. No effect after the end of the stream.
    package func finish() {
        state.withLock { state in
            if state.machine.finish() { state.connection?.resume() }
        }
    }

    /// Calls `body` once at the end of the stream, on a thread of the server that must not be blocked; at once if it
    /// has ended.
    package func onClose(_ body: @escaping @Sendable (HTTPStreamEnd) -> Void) {
        let end: HTTPStreamEnd? = state.withLock { state in
            if case .ended(let reason) = state.machine.phase { return reason }
            state.observers.append(body)
            return nil
        }
        if let end { body(end) }
    }

    /// The number of bytes that wait for the client.
    package var bufferedBytes: Int { state.withLock { $0.machine.buffered } }

    /// The number of bytes that the client's connection has taken.
    package var sentBytes: Int { state.withLock { $0.machine.sentTotal } }
}

extension HTTPResponseStream {
    /// False when the stream already belongs to an answer.
    func attach(to connection: Connection) -> Bool {
        state.withLock { state in
            guard state.connection == nil else { return false }
            state.connection = connection
            return true
        }
    }

    /// Ends it for another reason than its writer's; unsent bytes are lost.
    func end(_ reason: HTTPStreamEnd) {
        state.withLock { state in
            if state.machine.end(reason) { state.connection?.resume() }
        }
        callObservers()
    }

    /// Fills a worker's buffer, or suspends the connection until there is something to send.
    /// Called on the connection's worker only.
    func read(into target: UnsafeMutableRawBufferPointer) -> StreamMachine.Read {
        let (read, woken) = state.withLock { state in
            let read = state.machine.read(into: target)
            // Under the lock: a writer that finds the stream suspended wakes a connection that is.
            if read == .suspend { state.connection?.suspend() }
            return (read, state.woken())
        }
        for waiter in woken { waiter.continuation.resume() }
        return read
    }

    /// The connection is done with the stream, one way or the other. Called on the connection's worker.
    func detach() {
        end(.clientLeft)
        state.withLock { $0.connection = nil }
    }

    private func callObservers() {
        for waiter in state.withLock({ $0.woken() }) { waiter.continuation.resume() }
        state.withLock { state -> (observers: [@Sendable (HTTPStreamEnd) -> Void], end: HTTPStreamEnd)? in
            guard case .ended(let end) = state.machine.phase else { return nil }
            defer { state.observers = [] }
            return (state.observers, end)
        }.map { ended in
            for observer in ended.observers { observer(ended.end) }
        }
    }
}
