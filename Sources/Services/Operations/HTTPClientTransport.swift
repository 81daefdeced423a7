package import CloudCalls
package import HTTPClient

/// Carries the client library's requests by `HTTPClient`, which is faster than `URLSession` and takes private issuers.
package struct HTTPClientTransport: FanfareTransport {
    private let http: HTTPClient

    /// Carries requests by a client, which others may use as well.
    package init(_ http: HTTPClient = HTTPClient()) { self.http = http }

    /// Sends a request.
    /// - Throws: `HTTPClientError` when there is no answer.
    package func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let response = try await http.send(Self.request(request))
        return FanfareResponse(status: response.status, headers: response.headers.all, body: response.body)
    }

    /// Sends a request and returns with the head of its answer. The connection is read as fast as the stream is
    /// consumed.
    /// - Throws: `HTTPClientError` if there is no answer.
    package func stream(_ request: FanfareRequest) async throws -> FanfareStream {
        let stream = try await http.stream(Self.request(request))
        return FanfareStream(status: stream.status) {
            var iterator = stream.makeAsyncIterator()
            return try await iterator.next()
        }
    }

    private static func request(_ request: FanfareRequest) -> HTTPClientRequest {
        var result = HTTPClientRequest(
            request.method, request.url, body: request.body.isEmpty ? .empty : .bytes(request.body))
        result.timeout = request.timeout
        return result
    }
}
