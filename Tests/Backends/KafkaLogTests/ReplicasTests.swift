import KafkaClient
import Testing

@testable import KafkaLog

/// The number of replicas from an existing topic.
struct ReplicasTests {
    @Test("a topic that does not exist, or that we may not describe, gives no number")
    func nothing() throws {
        #expect(try KafkaLog.replicas(nil) == nil)
        // UNKNOWN_TOPIC_OR_PARTITION and TOPIC_AUTHORIZATION_FAILED, as brokers number them.
        for code in [3, 29] as [Int32] {
            let error = KafkaError(code: code, name: "", message: "")
            #expect(try KafkaLog.replicas(.failure(error)) == nil)
        }
    }

    @Test("a topic that a broker cannot describe, or not yet, is requested again")
    func notYet() {
        // LEADER_NOT_AVAILABLE and UNKNOWN_SERVER_ERROR.
        for (code, isRetriable) in [(5, true), (-1, false)] as [(Int32, Bool)] {
            let error = KafkaError(code: code, name: "", message: "", isRetriable: isRetriable)
            #expect(throws: error) { try KafkaLog.replicas(.failure(error)) }
        }
    }

    @Test("a topic gives the number of brokers with its first partition")
    func described() async throws {
        let cluster = try KafkaMockCluster(brokers: 2)
        try cluster.createTopic("model", partitions: 2, replicationFactor: 2)
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        #expect(try KafkaLog.replicas(try await admin.describeTopics(["model"])["model"]) == 2)
        await admin.close()
    }
}
