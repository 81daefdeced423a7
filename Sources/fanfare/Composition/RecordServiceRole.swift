import HTTPServer
import KafkaLog

/// `fanfare record-service`: HTTP, the store and the relay, on Kafka.
struct RecordServiceRole: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func run() async throws {
        try PublicAddress.require(configuration, isWhole: false)
        let log = try Backends.kafka(configuration)
        let keys = try Backends.keys(configuration, mayMake: true)
        let server = try PublicServer(
            configuration, log: log, keys: keys, developmentSignIn: configuration.signIn.allowsDevelopment)
        try await server.admit(configuration.apiToken)
        try await Service.run(
            configuration, "record-service", refusals: { server.refusals },
            closing: {
                await server.close()
                await log.close()
            }
        ) { isReady in
            try await TopicSetup(log: log, configuration: configuration).waitUntilThere()
            try await server.waitUntilTogether()
            let ports = try await server.start()
            Output.line("record-service answers on port \(ports.api.port)")
            isReady(true)
            await server.run(ports)
            await ports.stop(grace: .seconds(5))
        }
    }
}
