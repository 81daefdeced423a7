import CloudMessages
import CloudModel
import Cryptography
import JSON
import Push
import RecordService

/// The pushes that operators send to try addresses. Providers are made with the first one.
actor ServedPushTests {
    private let configuration: Configuration
    private let keys: KeyRing
    private var providers: PushProviders?
    private var isClosed = false

    init(_ configuration: Configuration, keys: KeyRing) {
        self.configuration = configuration
        self.keys = keys
    }

    /// Sends one push to each address, past its queue.
    func send(_ scope: ContainerEnvironment, _ addresses: [PushAddressEntry]) async throws -> [JSONObject] {
        let seals = PushAddressSeals(keys, scope: scope)
        let trial = PushTrial(
            container: scope.container, providers: try known().providers[scope] ?? [],
            open: { try seals.open($0, of: $1, $2, $3).address })
        return try await trial.run(addresses, now: .wallClock()).map(\.json)
    }

    private func known() throws -> PushProviders {
        guard !isClosed else { throw CancellationError() }
        if let providers { return providers }
        let made = try PushProviders(configuration)
        providers = made
        return made
    }

    /// Ends all requests and connections.
    func close() async {
        isClosed = true
        await providers?.close()
    }
}
