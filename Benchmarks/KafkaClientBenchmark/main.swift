// Messages per second through `KafkaClient` and through plain C, in one run against a real Kafka, taking turns.
//
//     KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:29092 swift run -c release KafkaClientBenchmark [rounds] [messages]
import Foundation

guard let servers = ProcessInfo.processInfo.environment["KAFKA_BOOTSTRAP_SERVERS"] else {
    FileHandle.standardError.write(Data("set KAFKA_BOOTSTRAP_SERVERS to the Kafka to measure on\n".utf8))
    exit(2)
}
let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
try await Comparison(
    servers: servers, rounds: arguments.first ?? 7, messages: arguments.dropFirst().first ?? 500_000
).run()
