import Foundation
import KafkaClient

/// Lets both sides do each workload some rounds, in turns, and prints one line of JSON for each.
struct Comparison {
    let servers: String
    let rounds: Int
    let messages: Int

    /// Runs everything on topics of its own, which it deletes.
    func run() async throws {
        let configuration = KafkaConfiguration(bootstrapServers: servers, clientID: "benchmark")
        let admin = try KafkaAdmin(configuration)
        for topicCount in [1, 1_000] {
            let prefix = "benchmark-\(UUID().uuidString.prefix(8).lowercased())"
            let topics = (0..<topicCount).map { "\(prefix)-\($0)" }
            let created = try await admin.createTopics(
                topics.map { KafkaNewTopic(name: $0, configuration: ["retention.bytes": "-1"]) })
            for result in created.values { try result.get() }
            let workload = Workload(configuration: configuration, topics: topics, messages: messages)
            // The first writes to a topic create its log.
            _ = workload.produceInC()
            _ = try await workload.produce()

            var (inC, inSwift): ([Double], [Double]) = ([], [])
            for round in 0..<rounds {
                // The order alternates, as the second finds the broker warmer or busier.
                if round % 2 == 0 { inC.append(workload.produceInC()) }
                inSwift.append(try await workload.produce())
                if round % 2 == 1 { inC.append(workload.produceInC()) }
            }
            report("produce", topicCount, messages, inC, inSwift)

            let total = messages * 4
            _ = workload.consumeInC(total)
            (inC, inSwift) = ([], [])
            for round in 0..<rounds {
                if round % 2 == 0 { inC.append(workload.consumeInC(total)) }
                inSwift.append(try await workload.consume(total))
                if round % 2 == 1 { inC.append(workload.consumeInC(total)) }
            }
            report("consume", topicCount, total, inC, inSwift)
            _ = try await admin.deleteTopics(topics)
        }
        await admin.close()
    }

    private func report(_ work: String, _ topics: Int, _ count: Int, _ inC: [Double], _ inSwift: [Double]) {
        let rates = [inC, inSwift].map { Double(count) / median($0) }
        let line =
            "{\"work\":\"\(work)\",\"topics\":\(topics),\"messages\":\(count),\"bytes\":200,\"rounds\":\(inC.count),"
            + "\"c_messages_per_second\":\(Int(rates[0])),\"swift_messages_per_second\":\(Int(rates[1])),"
            + "\"swift_to_c\":\(String(format: "%.2f", rates[1] / rates[0]))}"
        if ProcessInfo.processInfo.environment["KAFKA_BENCHMARK_ROUNDS"] != nil { print(inC, inSwift) }
        print(line)
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.count % 2 == 1
            ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
    }
}
