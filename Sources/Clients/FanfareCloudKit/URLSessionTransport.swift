// Transports, requests and errors are for apps, too.
@_exported public import CloudCalls
import Synchronization

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Sends requests with Foundation's `URLSession`.
public final class URLSessionTransport: FanfareTransport {
    private let session: URLSession

    /// Creates a transport with its own session. The session ends with the transport.
    public init(_ configuration: URLSessionConfiguration = .ephemeral) {
        session = URLSession(configuration: configuration)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and returns its whole answer.
    /// - Throws: `URLError` if there is no answer; `CancellationError` if the task was cancelled.
    public func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let request = try Self.urlRequest(request)
        let running = Mutex<URLSessionTask?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = session.dataTask(with: request) { data, response, error in
                    continuation.resume(with: Self.response(data, response, error))
                }
                running.withLock { $0 = task }
                // A cancellation before the task was stored did not reach it.
                if Task.isCancelled { task.cancel() }
                task.resume()
            }
        } onCancel: {
            running.withLock { $0?.cancel() }
        }
    }

    /// Sends a request and returns when the header of the answer has arrived. Chunks that are not consumed yet are
    /// buffered in memory, without a limit.
    /// - Throws: `URLError` if there is no answer.
    public func stream(_ request: FanfareRequest) async throws -> FanfareStream {
        let body = StreamedBody()
        let streaming = URLSession(configuration: session.configuration, delegate: body, delegateQueue: nil)
        let task = streaming.dataTask(with: try Self.urlRequest(request))
        let lease = Lease {
            task.cancel()
            streaming.finishTasksAndInvalidate()
        }
        task.resume()
        return FanfareStream(status: try await body.status()) {
            defer { withExtendedLifetime(lease) {} }
            return try await body.next()
        }
    }

    /// Ends the transfer when the stream is released.
    private final class Lease: Sendable {
        private let end: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    private static func urlRequest(_ request: FanfareRequest) throws -> URLRequest {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var result = URLRequest(url: url)
        result.httpMethod = request.method
        result.timeoutInterval = Double(request.timeout.components.seconds)
        if request.method != "GET" {
            result.httpBody = Data(request.body)
            result.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return result
    }

    private static func response(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<FanfareResponse, any Error> {
        if let error { return .failure((error as? URLError)?.code == .cancelled ? CancellationError() : error) }
        guard let response = response as? HTTPURLResponse else { return .failure(URLError(.badServerResponse)) }
        let headers = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        return .success(
            FanfareResponse(status: response.statusCode, headers: headers, body: data.map { Array($0) } ?? []))
    }
}
