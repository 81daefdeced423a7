import KafkaClient
import TestSupport
import Testing

extension OnRealKafka {
    @Suite("A producer on a real Kafka")
    struct ProducerTests {
        @Test("keys, values, headers and times arrive as they were sent; none is not empty")
        func roundTrip() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("round-trip")
            let sent = [
                KafkaOutgoingMessage(topic: topic, partition: 0, key: nil, value: nil),
                KafkaOutgoingMessage(topic: topic, partition: 0, key: [], value: []),
                KafkaOutgoingMessage(topic: topic, partition: 0, key: [1], value: [2, 0, 3]),
                KafkaOutgoingMessage(
                    topic: topic, partition: 0, key: [0], value: [],
                    headers: [
                        KafkaHeader(name: "a", value: [1, 2]), KafkaHeader(name: "", value: []),
                        KafkaHeader(name: "a", value: [0]),
                    ], timestampMilliseconds: 1_234_567_890_123),
                KafkaOutgoingMessage(
                    topic: topic, partition: 0, value: [UInt8](repeating: 7, count: 600_000)),
            ]
            let producer = try KafkaProducer(configuration)
            #expect(try await producer.send(sent) == [0, 1, 2, 3, 4])
            #expect(try await producer.send([]) == [])
            await producer.close()

            let read = try await readAll(KafkaTopicPartition(topic: topic, partition: 0), configuration, count: 5)
            #expect(read.map(\.offset) == [0, 1, 2, 3, 4])
            #expect(read.map(\.key) == sent.map(\.key))
            #expect(read.map(\.value) == sent.map(\.value))
            #expect(read.map(\.headers) == sent.map(\.headers))
            #expect(read[3].timestampMilliseconds == 1_234_567_890_123)
            #expect(read[0].timestampMilliseconds > 1_600_000_000_000)
        }

        @Test(
            "batches that are under way together keep the order of the calls, and more than librdkafka's queue holds goes in"
        )
        func orderAndBackPressure() async throws {
            let configuration = try RealKafka.configuration(["queue.buffering.max.messages": "1000"])
            let topic = try await RealKafka.topic("order", partitions: 3)
            let producer = try KafkaProducer(configuration)
            let offsets = Observed<[Int: Result<[Int64], KafkaError>]>([:])
            for batch in 0..<20 {
                let messages = (0..<1_500).map { KafkaOutgoingMessage(topic, Int32($0 % 3), "\(batch).\($0)") }
                try producer.enqueue(messages) { result in offsets.update { $0[batch] = result } }
            }
            let results = try await offsets.wait(for: "acknowledgements") { $0.count == 20 }
            for batch in 0..<20 {
                // 500 of each batch go to each partition, one after the other.
                let expected = (0..<1_500).map { Int64(batch * 500 + $0 / 3) }
                #expect(try results[batch]!.get() == expected)
            }
            await producer.close()
            let read = try await readAll(KafkaTopicPartition(topic: topic, partition: 1), configuration, count: 10_000)
            #expect(read.map(\.text) == (0..<20).flatMap { batch in (0..<500).map { "\(batch).\($0 * 3 + 1)" } })
        }

        @Test("a message that the broker refuses ends the producer, and nothing follows it in the log")
        func gapless() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("gapless", configuration: ["max.message.bytes": "2000"])
            // One message a request, so that others are under way before and after the one that is refused.
            let producer = try KafkaProducer(configuration.adding(["batch.num.messages": "1", "linger.ms": "0"]))
            try await producer.prepare(topics: [topic])
            let results = Observed<[Int: Result<[Int64], KafkaError>]>([:])
            for index in 0..<100 {
                let size = index == 50 ? 5_000 : 100
                let message = KafkaOutgoingMessage(
                    topic: topic, partition: 0, key: [UInt8(index)], value: .init(repeating: 1, count: size))
                try producer.enqueue([message]) { result in results.update { $0[index] = result } }
            }
            let seen = try await results.wait(for: "all results") { $0.count == 100 }
            for index in 50..<100 {
                #expect(throws: KafkaError.self) { try seen[index]!.get() }
            }
            let failure = try #require(producer.failure)
            #expect(failure.isFatal)
            await #expect(throws: KafkaError.self) { try await producer.send([KafkaOutgoingMessage(topic, 0, "late")]) }
            #expect(throws: KafkaError.self) {
                try producer.enqueue([KafkaOutgoingMessage(topic, 0, "late")]) { _ in Issue.record("completed") }
            }
            await producer.close()

            // Acknowledged messages are there, and the log has a prefix of the sent ones.
            let admin = try KafkaAdmin(configuration)
            let partition = KafkaTopicPartition(topic: topic, partition: 0)
            let high = try await admin.watermarks(of: [partition])[partition]!.get().high
            let acknowledged = seen.filter { (try? $0.value.get()) != nil }.count
            // At most five requests are under way at once.
            #expect(acknowledged >= 45)
            #expect(high >= acknowledged)
            #expect(high <= 50)
            let read = try await readAll(partition, configuration, count: Int(high))
            #expect(read.map(\.key) == (0..<Int(high)).map { [UInt8($0)] })
            await admin.close()
        }

        @Test("a message that is too large is refused before anything of its batch is sent, and the producer lives on")
        func sizeCheck() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("size")
            let producer = try KafkaProducer(configuration.adding(["message.max.bytes": "10000"]))
            let large = KafkaOutgoingMessage(topic: topic, partition: 0, value: .init(repeating: 0, count: 9_950))
            await #expect { try await producer.send([KafkaOutgoingMessage(topic, 0, "small"), large]) } throws: {
                ($0 as? KafkaError)?.name == "MSG_SIZE_TOO_LARGE"
            }
            #expect(producer.failure == nil)
            #expect(try await producer.send([KafkaOutgoingMessage(topic, 0, "after")]) == [0])
            await producer.close()
        }

        @Test("a topic that does not exist is an error of prepare, and one that comes late is waited for")
        func prepare() async throws {
            let configuration = try RealKafka.configuration()
            let absent = RealKafka.unique("absent")
            let late = RealKafka.unique("late")
            let present = try await RealKafka.topic("present")
            let producer = try KafkaProducer(configuration)
            await #expect {
                try await producer.prepare(topics: [present, absent], patience: .milliseconds(100))
            } throws: {
                ($0 as? KafkaError)?.isTopicAbsent == true
            }
            async let prepared: Void = producer.prepare(topics: [present, late], patience: .seconds(20))
            let admin = try KafkaAdmin(configuration)
            try await admin.createTopics([KafkaNewTopic(name: late)])[late]!.get()
            try await prepared
            #expect(
                try await producer.send([KafkaOutgoingMessage(late, 0, "x"), KafkaOutgoingMessage(present, 0, "y")])
                    == [0, 0])
            await producer.close()
            await admin.close()
        }

        @Test("writing to a topic that does not exist ends the producer", .hangGuard)
        func absentTopic() async throws {
            let configuration = try RealKafka.configuration(["topic.metadata.propagation.max.ms": "1000"])
            let producer = try KafkaProducer(configuration)
            await #expect {
                try await producer.send([KafkaOutgoingMessage(RealKafka.unique("absent"), 0, "x")])
            } throws: {
                ($0 as? KafkaError)?.isTopicAbsent == true
            }
            #expect(producer.failure?.isTopicAbsent == true)
            await producer.close()
        }

        @Test("handles that are forgotten or pushed out leave order and sequence numbers alone")
        func handles() async throws {
            let configuration = try RealKafka.configuration()
            let producer = try KafkaProducer(configuration, topicHandlesMax: 3)
            var topics: [String] = []
            for index in 0..<8 { topics.append(try await RealKafka.topic("handle-\(index)")) }
            for round in 0..<10 {
                let offsets = try await producer.send(topics.map { KafkaOutgoingMessage($0, 0, "\(round)") })
                #expect(offsets == Array(repeating: Int64(round), count: topics.count))
                producer.forget(topics: [topics[round % topics.count]])
            }
            await producer.close()
        }

        @Test("closing sends messages in flight; destroying does not wait for them")
        func closing() async throws {
            let configuration = try RealKafka.configuration(["linger.ms": "300"])
            let topic = try await RealKafka.topic("closing")
            let producer = try KafkaProducer(configuration)
            let offsets = Observed<[Result<[Int64], KafkaError>]>([])
            try producer.enqueue([KafkaOutgoingMessage(topic, 0, "x")]) { result in offsets.update { $0.append(result) }
            }
            await producer.close()
            #expect(try offsets.value.first?.get() == [0])
            await #expect(throws: KafkaError.self) { try await producer.send([KafkaOutgoingMessage(topic, 0, "y")]) }

            let other = try KafkaProducer(KafkaConfiguration(bootstrapServers: "127.0.0.1:1"))
            try other.enqueue([KafkaOutgoingMessage(topic, 0, "z")]) { result in offsets.update { $0.append(result) } }
            other.destroy()
            let all = try await offsets.wait(for: "the end of the destroyed one") { $0.count == 2 }
            #expect(throws: KafkaError.self) { try all[1].get() }
        }
    }
}
