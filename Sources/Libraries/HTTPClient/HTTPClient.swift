import CCurl
import Synchronization
import Waiting

/// An HTTP/1.1 client over libcurl. One thread carries all requests and streams; connections are kept and reused.
/// Closes when the last reference is released, or by `close`.
package final class HTTPClient: Sendable {
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let inbox = ClientInbox()
    private let thread: DedicatedThread
    private let lastIdentity = Atomic<UInt64>(0)
    private let joins = Mutex(true)

    /// Starts the client's thread; connections are made as requests need them.
    package init(_ configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
        precondition(Self.isLibraryReady, "libcurl could not be initialised")
        let inbox = inbox
        thread = DedicatedThread { ClientLoop(configuration: configuration, inbox: inbox).run() }
    }

    deinit {
        inbox.send(.close)
        if joins.withLock({ $0 }) { thread.detach() }
    }

    /// Sends a request and collects its answer. Cancelling the task aborts the transfer.
    ///
    /// Throws `HTTPClientError` when there is no answer, `CancellationError` when the task was cancelled.
    package func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        guard case .response(let response) = try await perform(request, isStream: false) else {
            throw HTTPClientError(closed: request)
        }
        return response
    }

    /// Sends a request and returns as soon as the head of its answer is there; the body is consumed from the stream.
    ///
    /// Throws like `send`.
    package func stream(_ request: HTTPClientRequest) async throws -> HTTPClientStream {
        guard case .stream(let stream) = try await perform(request, isStream: true) else {
            throw HTTPClientError(closed: request)
        }
        return stream
    }

    /// Aborts all transfers, closes all connections and ends the thread. Later requests throw; closing again does
    /// nothing.
    package func close() async {
        inbox.send(.close)
        let isFirst = joins.withLock { joins in
            defer { joins = false }
            return joins
        }
        guard isFirst else { return }
        await withCheckedContinuation { continuation in
            DedicatedThread.start { [thread] in
                thread.join()
                continuation.resume()
            }
        }
    }

    private func perform(_ request: HTTPClientRequest, isStream: Bool) async throws -> Transfer.Reply {
        if let defect = request.defect {
            throw HTTPClientError(.invalidRequest, .never, request, "\(defect). Correct the request.")
        }
        let identity = lastIdentity.add(1, ordering: .relaxed).newValue
        let cancellation = Transfer.Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let transfer = Transfer(
                    identity: identity, request: request, isStream: isStream, cancellation: cancellation,
                    continuation: continuation)
                if !inbox.send(.start(transfer)) { transfer.reply(.failure(HTTPClientError(closed: request))) }
            }
        } onCancel: {
            cancellation.set()
            inbox.send(.cancel(identity))
        }
    }
}
