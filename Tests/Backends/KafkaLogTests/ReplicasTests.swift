import KafkaClient
import Testing

@testable import KafkaLog

/// What a topic that is there tells of the replicas that others are to have.
struct ReplicasTests {
    @Test("a topic that is not there, or that we may not ask for, tells nothing")
    func nothing() throws {
        #expect(try KafkaLog.replicas(nil) == nil)
        // UNKNOWN_TOPIC_OR_PARTITION and TOPIC_AUTHORIZATION_FAILED, as brokers number them.
        for code in [3, 29] as [Int32] {
            let error = KafkaError(code: code, name: "", message: "")
            #expect(try KafkaLog.replicas(.failure(error)) == nil)
        }
    }

    @Test("a topic that a broker cannot tell of, or not yet, is asked for again")
    func notYet() {
        // LEADER_NOT_AVAILABLE and UNKNOWN_SERVER_ERROR.
        for (code, isRetriable) in [(5, true), (-1, false)] as [(Int32, Bool)] {
            let error = KafkaError(code: code, name: "", message: "", isRetriable: isRetriable)
            #expect(throws: error) { try KafkaLog.replicas(.failure(error)) }
        }
    }

    @Test("a topic tells how many brokers have its first partition")
    func told() async throws {
        // librdkafka's gives a topic three replicas, or as many as it has brokers.
        let cluster = try KafkaMockCluster(brokers: 2)
        try cluster.createTopic("model", partitions: 2)
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: cluster.bootstrapServers))
        #expect(try KafkaLog.replicas(try await admin.describeTopics(["model"])["model"]) == 2)
        await admin.close()
    }
}
