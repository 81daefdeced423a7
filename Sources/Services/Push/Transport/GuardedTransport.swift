package import HTTPClient

/// Connections to the addresses that clients chose: those that the guard allows.
package final class GuardedTransport: PushTransport {
    private let client: GuardedClient
    private let guarding: OutgoingGuard
    private let timeout: Duration

    /// - Parameter timeout: the longest that a push may take, to the end of its answer.
    package init(_ guarding: OutgoingGuard, _ configuration: MultiplexingConfiguration, timeout: Duration) {
        client = GuardedClient(guarding, configuration)
        self.guarding = guarding
        self.timeout = timeout
    }

    package func send(_ request: PushRequest) async -> PushAnswer {
        guard let url = try? guarding.check(request.url) else { return .unprocessed(.forbiddenAddress) }
        return await PushAnswer.reading {
            try await client.send(
                request.method, to: url, headers: request.headers.map { ($0.name, $0.value) }, body: request.body,
                timeout: timeout)
        }
    }

    /// Ends all requests and connections.
    package func close() async { await client.close() }
}
