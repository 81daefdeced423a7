import KafkaClient
import Synchronization
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    private let nowhere = KafkaConfiguration(bootstrapServers: "127.0.0.1:1")

    @Test(
        "a property that does not exist, or has no such value, is an error that names it",
        arguments: [("no.such.property", "1"), ("linger.ms", "soon"), ("compression.type", "best")])
    func wrongProperties(name: String, value: String) {
        let configuration = nowhere.adding([name: value])
        let attempts: [() throws -> Void] = [
            { _ = try KafkaProducer(configuration) },
            { _ = try KafkaTransactionalProducer(configuration, transactionalID: "id") },
            { _ = try KafkaPartitionReader(configuration) { _ in } },
            { _ = try KafkaGroupConsumer(configuration, group: "g", topics: ["t"]) { _ in } },
            { _ = try KafkaAdmin(configuration) },
        ]
        for attempt in attempts {
            #expect { try attempt() } throws: { ($0 as? KafkaError)?.message.contains(name) == true }
        }
    }

    @Test("what a client rests on cannot be configured away")
    func fixedProperties() {
        for name in [
            "enable.idempotence", "acks", "enable.gapless.guarantee", "message.timeout.ms", "bootstrap.servers",
        ] {
            #expect { _ = try KafkaProducer(nowhere.adding([name: "0"])) } throws: {
                ($0 as? KafkaError)?.message.contains(name) == true
            }
        }
        #expect(throws: KafkaError.self) {
            _ = try KafkaGroupConsumer(
                nowhere.adding(["partition.assignment.strategy": "range"]), group: "g", topics: []
            ) { _ in }
        }
        #expect(throws: KafkaError.self) {
            _ = try KafkaPartitionReader(nowhere.adding(["enable.auto.commit": "true"])) { _ in }
        }
    }

    @Test("librdkafka's log lines reach the configuration's receiver")
    func log() async throws {
        let lines = Observed<[String]>([])
        var configuration = nowhere
        configuration.log = { line in lines.update { $0.append(line.facility) } }
        let producer = try KafkaProducer(configuration)
        try await lines.wait(for: "a line about the refused connection") { $0.contains("FAIL") }
        await producer.close(timeout: .zero)
    }

    @Test("errors have the attempt, their name and their flags")
    func description() {
        let error = KafkaError(code: -1, name: "_X", message: "could not do it", isFatal: true, isRetriable: true)
        #expect(error.description == "could not do it (_X, fatal, retriable)")
    }
}
