import KafkaClient
import Testing

extension OnRealKafka {
    @Suite("The admin client on a real Kafka")
    struct AdminTests {
        @Test("topics are made with their configuration, described, changed and deleted, each with a result of its own")
        func topics() async throws {
            let admin = try KafkaAdmin(RealKafka.configuration())
            let first = RealKafka.unique("first")
            let second = RealKafka.unique("second")
            let created = try await admin.createTopics([
                KafkaNewTopic(
                    name: first, partitions: 3, configuration: ["cleanup.policy": "compact", "retention.ms": "-1"]),
                KafkaNewTopic(name: second),
                KafkaNewTopic(name: "no such name!"),
                KafkaNewTopic(name: "\(second)-wrong", configuration: ["no.such.setting": "1"]),
            ])
            try created[first]!.get()
            try created[second]!.get()
            #expect(throws: KafkaError.self) { try created["no such name!"]!.get() }
            #expect(throws: KafkaError.self) { try created["\(second)-wrong"]!.get() }
            let again = try await admin.createTopics([KafkaNewTopic(name: first)])
            #expect { try again[first]!.get() } throws: { ($0 as? KafkaError)?.isTopicPresent == true }

            let absent = RealKafka.unique("absent")
            // Brokers learn of topics a moment after the controller has made them.
            try await eventually("the topics") {
                try await admin.describeTopics([first, second]).values.allSatisfy { (try? $0.get()) != nil }
            }
            let described = try await admin.describeTopics([first, second, absent], configuration: true)
            let description = try described[first]!.get()
            #expect(description.partitions.count == 3)
            #expect(description.partitions.allSatisfy { $0.leader >= 0 && $0.replicas == [$0.leader] })
            #expect(description.overrides == ["cleanup.policy": "compact", "retention.ms": "-1"])
            #expect(description.configuration["max.message.bytes"] != nil)
            #expect(try described[second]!.get().overrides == [:])
            #expect { try described[absent]!.get() } throws: { ($0 as? KafkaError)?.isTopicAbsent == true }
            #expect(try await admin.describeTopics()[second]!.get().partitions.count == 1)

            let changed = try await admin.alterConfigurations([
                first: ["retention.ms": "1000", "cleanup.policy": nil], second: ["no.such.setting": "1"],
            ])
            try changed[first]!.get()
            #expect(throws: KafkaError.self) { try changed[second]!.get() }
            // Brokers learn of the change when the controller has it, some milliseconds later.
            try await eventually("the change") {
                let after = try await admin.describeTopics([first], configuration: true)[first]!.get()
                return after.overrides == ["retention.ms": "1000"]
            }

            let deleted = try await admin.deleteTopics([first, second, absent])
            try deleted[first]!.get()
            try deleted[second]!.get()
            #expect { try deleted[absent]!.get() } throws: { ($0 as? KafkaError)?.isTopicAbsent == true }
            await admin.close()
            await #expect(throws: KafkaError.self) { try await admin.describeTopics() }
        }

        @Test("thousands of topics go into one call; more records than a controller takes are spread over requests")
        func manyTopics() async throws {
            let admin = try KafkaAdmin(RealKafka.configuration())
            let prefix = RealKafka.unique("bulk")
            // 10 records a topic, so 12,000 in all: over the 10,000 of one request.
            let settings = [
                "retention.ms", "segment.ms", "retention.bytes", "flush.ms", "file.delete.delay.ms",
                "delete.retention.ms",
                "max.compaction.lag.ms", "index.interval.bytes",
            ]
            let configuration = Dictionary(uniqueKeysWithValues: settings.map { ($0, "100000") })
            let topics = (0..<1_200).map { KafkaNewTopic(name: "\(prefix)-\($0)", configuration: configuration) }
            let created = try await admin.createTopics(topics)
            #expect(created.count == topics.count)
            for result in created.values { try result.get() }
            let partitions = topics.map { KafkaTopicPartition(topic: $0.name, partition: 0) }
            try await eventually("all watermarks") {
                let watermarks: [KafkaTopicPartition: Result<KafkaWatermarks, KafkaError>]
                do throws(KafkaError) {
                    watermarks = try await admin.watermarks(of: partitions)
                } catch {
                    // A busy broker takes its new partitions over late.
                    guard error.isRetriable else { throw error }
                    return false
                }
                #expect(watermarks.count == topics.count)
                return watermarks.values.allSatisfy { (try? $0.get()) == KafkaWatermarks(low: 0, high: 0) }
            }
            let deleted = try await admin.deleteTopics(topics.map(\.name))
            #expect(deleted.count == topics.count)
            for result in deleted.values { try result.get() }
            await admin.close()
        }

        @Test("watermarks of absent partitions fail alone, and are found once the topic is there")
        func watermarks() async throws {
            let configuration = try RealKafka.configuration()
            let admin = try KafkaAdmin(configuration)
            let topic = try await RealKafka.topic("watermarks")
            let here = KafkaTopicPartition(topic: topic, partition: 0)
            let beyond = KafkaTopicPartition(topic: topic, partition: 3)
            let late = KafkaTopicPartition(topic: RealKafka.unique("late"), partition: 0)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send((0..<5).map { KafkaOutgoingMessage(topic, 0, "\($0)") })
            let deleted = try await admin.deleteRecords(below: [here: 2, beyond: 1])
            #expect(try deleted[here]!.get() == 2)
            #expect(throws: KafkaError.self) { try deleted[beyond]!.get() }
            let first = try await admin.watermarks(of: [here, beyond, late])
            #expect(try first[here]!.get() == KafkaWatermarks(low: 2, high: 5))
            #expect { try first[beyond]!.get() } throws: { ($0 as? KafkaError)?.isTopicAbsent == true }
            #expect { try first[late]!.get() } throws: { ($0 as? KafkaError)?.isTopicAbsent == true }
            try await admin.createTopics([KafkaNewTopic(name: late.topic)])[late.topic]!.get()
            try await producer.prepare(topics: [late.topic])
            #expect(try await admin.watermarks(of: [late])[late]!.get() == KafkaWatermarks(low: 0, high: 0))
            await producer.close()
            await admin.close()
        }

        @Test("groups are described, their offsets read and forgotten, and deleted when they are empty")
        func groups() async throws {
            let configuration = try RealKafka.configuration()
            let admin = try KafkaAdmin(configuration)
            let topic = try await RealKafka.topic("grouped", partitions: 2)
            let group = RealKafka.unique("group")
            let (first, second) = (
                KafkaTopicPartition(topic: topic, partition: 0), KafkaTopicPartition(topic: topic, partition: 1)
            )
            let member = try Member(configuration, group: group, topics: [topic])
            try await member.seen.wait(for: "an assignment") { $0.owned == [first, second] }
            try await member.consumer.commit([
                first: KafkaCommittedOffset(offset: 3, metadata: "three"), second: KafkaCommittedOffset(offset: 0),
            ])
            let described = try await admin.describeGroups([group])[group]!.get()
            #expect(described.state == "Stable")
            #expect(described.assignor == "cooperative-sticky")
            #expect(described.members.map(\.partitions) == [[first, second]])
            #expect(described.members.map(\.clientID) == ["kafka-client-tests"])
            #expect(
                try await admin.groupOffsets(group, partitions: [first, second])[first]
                    == KafkaCommittedOffset(offset: 3, metadata: "three"))
            await #expect(throws: KafkaError.self) { try await admin.deleteGroups([group])[group]!.get() }
            await member.consumer.close()

            #expect(try await admin.describeGroups([group])[group]!.get().state == "Empty")
            try await admin.deleteGroupOffsets(group, partitions: [first])[first]!.get()
            #expect(
                try await admin.groupOffsets(group, partitions: [first, second]) == [
                    second: KafkaCommittedOffset(offset: 0)
                ])
            try await admin.deleteGroups([group])[group]!.get()
            #expect(try await admin.groupOffsets(group, partitions: [first, second]) == [:])
            await admin.close()
        }

        @Test("the cluster reports its brokers")
        func cluster() async throws {
            let admin = try KafkaAdmin(RealKafka.configuration())
            let cluster = try await admin.clusterDescription()
            #expect(!cluster.brokers.isEmpty)
            #expect(cluster.brokers.contains { $0.id == cluster.controllerID })
            #expect(cluster.clusterID?.isEmpty == false)
            await admin.close()
        }
    }
}
