package import HTTPClient

/// Connections to the providers that the operator names: one to each origin, by HTTP/2, with many pushes on it at once.
package final class ProviderTransport: PushTransport {
    private let connections: [String: MultiplexedConnection]
    private let timeout: Duration

    /// - Parameters:
    ///   - origins: `https://`, host and port of each provider; requests to others get no answer.
    ///   - timeout: the longest that a push may take, to the end of its answer.
    package init(
        to origins: [String], _ configuration: MultiplexingConfiguration, timeout: Duration = .seconds(10)
    ) {
        connections = Dictionary(
            origins.map { ($0, MultiplexedConnection(to: $0, configuration)) }, uniquingKeysWith: { first, _ in first })
        self.timeout = timeout
    }

    package func send(_ request: PushRequest) async -> PushAnswer {
        guard let connection = connections[Self.origin(of: request.url)] else { return .unprocessed(.other) }
        var sent = HTTPClientRequest(
            request.method, request.url, headers: request.headers.map { ($0.name, $0.value) },
            body: .bytes(request.body))
        sent.timeout = timeout
        return await PushAnswer.reading { try await connection.send(sent) }
    }

    package func connectionsLately(to origin: String) -> Int {
        connections[origin]?.connectionsOpened(within: .seconds(60)) ?? 0
    }

    /// Ends all requests and connections.
    package func close() async {
        for connection in connections.values { await connection.close() }
    }

    private static func origin(of url: String) -> String {
        // Scheme and host end at the third slash.
        var rest = url.utf8[...]
        for _ in 0..<3 {
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return url }
            rest = rest[rest.index(after: slash)...]
        }
        return String(url[..<url.utf8.index(before: rest.startIndex)])
    }
}
