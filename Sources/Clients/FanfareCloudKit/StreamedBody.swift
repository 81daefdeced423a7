import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes the body of an answer from the session's queue to the single consuming task.
final class StreamedBody: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var status: Int?
        var pieces: [[UInt8]] = []
        /// The end of the answer: nil while it is open, an error if the transfer failed.
        var end: Result<Void, any Error>?
        var consumer: CheckedContinuation<Void, Never>?
        /// Counts changes, so that none is missed between a check and the wait after it.
        var changes = 0
    }

    private let state = Mutex(State())

    /// Waits for the header of the answer and returns its status.
    func status() async throws -> Int {
        try await wait { state in
            if let status = state.status { return status }
            if let end = state.end {
                try end.get()
                throw URLError(.badServerResponse)
            }
            return nil
        }
    }

    /// Waits for the next chunk of the body and returns it, never empty; nil at the end.
    func next() async throws -> [UInt8]? {
        let pieces: [[UInt8]] = try await wait { state in
            defer { state.pieces = [] }
            if !state.pieces.isEmpty { return state.pieces }
            guard let end = state.end else { return nil }
            try end.get()
            return []
        }
        // Appends whole chunks: `joined()` copies byte by byte.
        guard var bytes = pieces.first else { return nil }
        for piece in pieces.dropFirst() { bytes += piece }
        return bytes
    }

    /// Ends the answer; the first result counts.
    func end(_ result: Result<Void, any Error>) {
        update { state in if state.end == nil { state.end = result } }
    }

    /// Waits until `take` returns a value. Cancelling the task ends the answer.
    private func wait<Value: Sendable>(_ take: (inout State) throws -> Value?) async throws -> Value {
        while true {
            let (value, changes) = try state.withLock { state in (try take(&state), state.changes) }
            if let value { return value }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isLate = state.withLock { state in
                        guard state.changes == changes else { return true }
                        state.consumer = continuation
                        return false
                    }
                    if isLate { continuation.resume() }
                }
            } onCancel: {
                end(.failure(CancellationError()))
            }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let consumer = state.withLock { state in
            change(&state)
            state.changes += 1
            return state.consumer.take()
        }
        consumer?.resume()
    }

    // MARK: URLSessionDataDelegate, on the session's queue

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        update { $0.status = (response as? HTTPURLResponse)?.statusCode ?? 0 }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        update { state in if !data.isEmpty { state.pieces.append(Array(data)) } }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(error.map { .failure($0) } ?? .success(()))
    }
}
