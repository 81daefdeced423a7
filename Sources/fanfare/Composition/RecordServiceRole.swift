import HTTPServer
import JSON
import KafkaLog

/// `fanfare record-service`: HTTP, the store and the relay, on Kafka.
struct RecordServiceRole: Sendable {
    private let configuration: Configuration
    /// The settings as operators see them.
    private let settings: [JSONValue]

    init(_ configuration: Configuration, settings: [JSONValue] = []) {
        self.configuration = configuration
        self.settings = settings
    }

    func run() async throws {
        try PublicAddress.require(configuration, isWhole: false)
        let log = try Backends.kafka(configuration)
        let keys = try Backends.keys(configuration, mayMake: true)
        let server = try PublicServer(
            configuration, log: log, keys: keys, developmentSignIn: configuration.signIn.allowsDevelopment)
        try await server.admit(configuration.apiToken)
        let readiness = Service.Readiness()
        try await Service.run(
            configuration, "record-service", refusals: { server.refusals }, readiness: readiness,
            closing: {
                await server.close()
                await log.close()
            }
        ) { isReady in
            try await TopicSetup(log: log, configuration: configuration).waitUntilThere()
            try await server.checkAssets()
            try await server.waitUntilTogether()
            let ports = try await server.start(
                ServedConsole.Process(
                    settings: settings, obstacles: { readiness.obstacles + server.refusals },
                    committed: { try await log.committedPositions(of: $0, $1) }))
            Output.line("record-service answers on port \(ports.api.port)")
            isReady(true)
            await server.run(ports)
            await ports.stop(grace: .seconds(5))
        }
    }
}
