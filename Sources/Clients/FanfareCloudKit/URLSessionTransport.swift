import Synchronization

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Carries requests by Foundation's `URLSession`.
public final class URLSessionTransport: FanfareTransport {
    private let session: URLSession

    /// Carries requests by a session of this configuration. The session ends with the transport.
    public init(_ configuration: URLSessionConfiguration = .ephemeral) {
        session = URLSession(configuration: configuration)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and returns its whole answer.
    /// - Throws: `URLError` when there is no answer.
    public func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let request = try Self.urlRequest(request)
        let running = Mutex<URLSessionTask?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = session.dataTask(with: request) { data, response, error in
                    continuation.resume(with: Self.response(data, response, error))
                }
                running.withLock { $0 = task }
                // What was cancelled before there was a task is cancelled now.
                if Task.isCancelled { task.cancel() }
                task.resume()
            }
        } onCancel: {
            running.withLock { $0?.cancel() }
        }
    }

    /// Sends a request and returns as soon as the head of its answer is there. What comes faster than it is consumed is
    /// kept in memory.
    /// - Throws: `URLError` when there is no answer.
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

    /// Ends a transfer when the stream is let go of.
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
