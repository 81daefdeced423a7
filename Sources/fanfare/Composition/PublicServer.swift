import CloudModel
import Cryptography
import DeviceClient
import EventLog
import HTTPServer
import RecordService
import RecordStore
import SQLiteRecordStore
import WebAPI

/// The record services of all containers behind one public port.
struct PublicServer {
    let services: [RecordService]
    private let log: any EventLog
    private let keys: KeyRing
    private let configuration: Configuration

    /// Opens the stores.
    init(_ configuration: Configuration, log: any EventLog, keys: KeyRing, developmentSignIn: Bool) throws {
        self.configuration = configuration
        self.log = log
        self.keys = keys
        let options = RecordService.Options(
            subscriptionsMax: configuration.subscriptionsMax, allowsDevelopmentSignIn: developmentSignIn,
            webAuthTokenLifetime: .seconds(configuration.webAuthTokenHours * 3600),
            tombstoneRetention: .seconds(configuration.tombstoneRetentionDays * 86_400))
        services = try configuration.scopes.map { scope in
            RecordService(
                layout: Backends.layout(configuration, scope),
                store: try Backends.store(configuration, scope, role: .owner), options: options, keys: keys)
        }
    }

    /// Lets the API token of the settings in.
    func admit(_ apiToken: String) async throws {
        guard !apiToken.isEmpty else { return }
        for service in services { try await service.addAPIToken(apiToken, note: "from the settings") }
    }

    /// Starts to answer.
    func start() async throws -> HTTPServer {
        let scopes = services.map { service in
            APIScope(
                records: service, feeds: FeedService(log: log, layout: service.layout, keys: keys),
                webAuthTokens: WebAuthTokens(keys, lifetime: service.options.webAuthTokenLifetime),
                queryMarkers: QueryMarkers(keys))
        }
        var server = Service.server(Address(configuration.listen)!)
        server.connectionsMaximum = configuration.connectionsMax
        server.bodyBytesMaximum = max(server.bodyBytesMaximum, configuration.bodyMebibytesMax << 20)
        if !configuration.tlsCertificate.isEmpty {
            server.tls = HTTPServerConfiguration.TLS(
                certificateFile: configuration.tlsCertificate, keyFile: configuration.tlsKey)
        }
        return try await HTTPServer.start(
            server, handler: CloudAPI(scopes, bodyBytesMax: configuration.bodyMebibytesMax << 20))
    }

    /// Does what has to be done beside requests until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { await service.run(on: log) } }
        }
    }

    /// Closes the stores.
    func close() async {
        for service in services { await service.store.close() }
    }
}
