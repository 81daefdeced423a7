import CCurl
import Synchronization
import Waiting

/// The thread of a client: it runs a loop that gets transfers through an inbox, until the inbox says close.
final class ClientThread: Sendable {
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let inbox = ClientInbox()
    private let thread: DedicatedThread
    private let lastIdentity = Atomic<UInt64>(0)
    private let joins = Mutex(true)

    init(named name: String? = nil, run: @escaping @Sendable (ClientInbox) -> Void) {
        precondition(Self.isLibraryReady, "libcurl could not be initialised")
        let inbox = inbox
        thread = DedicatedThread(named: name) { run(inbox) }
    }

    deinit {
        inbox.send(.close)
        if joins.withLock({ $0 }) { thread.detach() }
    }

    /// Hands a request to the thread and waits for the reply. Cancelling the task aborts the transfer.
    func perform(_ request: HTTPClientRequest, isStream: Bool) async throws -> Transfer.Reply {
        if let defect = request.defect {
            throw HTTPClientError(.invalidRequest, .never, request, "\(defect). Correct the request.")
        }
        let identity = lastIdentity.add(1, ordering: .relaxed).newValue
        let cancellation = Transfer.Cancellation()
        return try await withTaskCancellationHandler {
            // `Transfer` replies once, whatever happens.
            try await withUnsafeThrowingContinuation { continuation in
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

    /// Hands a request to the thread and waits for its whole answer.
    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        guard case .response(let response) = try await perform(request, isStream: false) else {
            throw HTTPClientError(closed: request)
        }
        return response
    }

    /// Aborts all transfers, closes all connections and ends the thread. Later requests throw; closing again does
    /// nothing.
    func close() async {
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
}
