import KafkaClient
import Testing

extension OnRealKafka {
    @Suite("A reader on a real Kafka")
    struct ReaderTests {
        @Test("partitions come and go while others flow: nothing is lost, doubled or handed on after its removal")
        func comeAndGo() async throws {
            let configuration = try RealKafka.configuration()
            let steady = KafkaTopicPartition(topic: try await RealKafka.topic("steady"), partition: 0)
            let visitors = try await RealKafka.topic("visitors", partitions: 8)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send(
                (0..<800).map { KafkaOutgoingMessage(visitors, Int32($0 % 8), "\($0 / 8)") })
            // A removed partition's messages are counted as they come, between the removal's completion and the next
            // add.
            let absent = Observed<Set<KafkaTopicPartition>>([])
            let trespasses = Observed(0)
            let observed = Observed(Reading())
            let reader = try KafkaPartitionReader(configuration) { event in
                if case .messages(let batch) = event, !absent.value.isDisjoint(with: batch.partitions) {
                    trespasses.update { $0 += 1 }
                }
                observed.update { $0.take(event) }
            }
            reader.add([steady: 0])
            var sent = 0
            for round in 0..<40 {
                let visitor = KafkaTopicPartition(topic: visitors, partition: Int32(round % 8))
                // Each visit starts at another offset, also below fetched ones.
                let start = Int64((round * 37) % 90)
                observed.update { $0.messages.removeAll { $0.topic == visitors } }
                reader.add([visitor: start])
                _ = try await producer.send((0..<5).map { KafkaOutgoingMessage(steady.topic, 0, "\(sent + $0)") })
                sent += 5
                let seen = try await observed.wait(for: "visit \(round)") {
                    $0.messages.contains { $0.topic == visitors }
                }
                let offsets = seen.messages.filter { $0.topic == visitors }.map(\.offset)
                #expect(offsets == Array(start..<start + Int64(offsets.count)), "visit \(round)")
                reader.remove([visitor])
                await reader.settled()
                absent.update { $0.insert(visitor) }
                if round % 3 == 0 {
                    // Re-added at once at another offset: the first message is that of the new offset.
                    absent.update { $0.remove(visitor) }
                    observed.update { $0.messages.removeAll { $0.topic == visitors } }
                    reader.add([visitor: 95])
                    let again = try await observed.wait(for: "second visit \(round)") {
                        $0.messages.filter { $0.topic == visitors }.count >= 5
                    }
                    #expect(again.messages.filter { $0.topic == visitors }.map(\.offset) == [95, 96, 97, 98, 99])
                    reader.remove([visitor])
                    await reader.settled()
                    absent.update { $0.insert(visitor) }
                }
                absent.update { $0.remove(KafkaTopicPartition(topic: visitors, partition: Int32((round + 1) % 8))) }
            }
            let all = try await observed.wait(for: "the steady messages") { [sent] in $0.texts(steady).count >= sent }
            #expect(all.texts(steady) == (0..<sent).map(String.init))
            #expect(trespasses.value == 0)
            #expect(all.errors == [])
            await reader.close()
            await producer.close()
        }

        @Test("re-adding a partition that is being read restarts at the new offset")
        func reAdd() async throws {
            let configuration = try RealKafka.configuration()
            let partition = KafkaTopicPartition(topic: try await RealKafka.topic("re-add"), partition: 0)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send((0..<50_000).map { KafkaOutgoingMessage(partition.topic, 0, "\($0)") })
            // Every batch notes the assignment that was newest when it came.
            let newest = Observed<Int64>(-1)
            let firsts = Observed<[Int64: Int64]>([:])
            let jumps = Observed(0)
            let reader = try KafkaPartitionReader(configuration) { event in
                guard case .messages(let batch) = event else { return }
                batch.forEach { message in
                    let offset = message.offset
                    let expected = newest.value
                    if expected >= 0, offset != expected { jumps.update { $0 += 1 } }
                    if expected < 0 { firsts.update { $0[offset] = offset } }
                    newest.update { $0 = offset + 1 }
                }
            }
            for start in [Int64(0), 40_000, 100, 30_000, 5] {
                // While settled, the handler is not running, so the expectation can change.
                reader.remove([partition])
                await reader.settled()
                newest.update { $0 = start }
                reader.add([partition: start])
                try await newest.wait(for: "messages after \(start)") { $0 > start + 50 }
            }
            #expect(jumps.value == 0)
            await reader.close()
            await producer.close()
        }

        @Test("an absent topic, and an absent partition of one that is there, are reported in bounded time")
        func absent() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("present")
            let here = KafkaTopicPartition(topic: topic, partition: 0)
            let nowhere = KafkaTopicPartition(topic: RealKafka.unique("absent"), partition: 0)
            let beyond = KafkaTopicPartition(topic: topic, partition: 5)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "x")])
            let (reader, observed) = try observedReader(configuration)
            reader.add([here: 0, nowhere: 0, beyond: 0])
            let seen = try await observed.wait(for: "two absences") { $0.unknown.count == 2 }
            #expect(Set(seen.unknown) == [nowhere, beyond])
            try await observed.wait(for: "the message") { $0.messages.count == 1 }

            // The topic is there when it is added again.
            let admin = try KafkaAdmin(configuration)
            try await admin.createTopics([KafkaNewTopic(name: nowhere.topic)])[nowhere.topic]!.get()
            _ = try await producer.send([KafkaOutgoingMessage(nowhere.topic, 0, "y")])
            reader.add([nowhere: 0])
            try await observed.wait(for: "the late topic's message") { $0.texts(nowhere) == ["y"] }
            await reader.close()
            await producer.close()
            await admin.close()
        }

        @Test("a partition that is deleted under the reader is reported")
        func deletedTopic() async throws {
            let configuration = try RealKafka.configuration(["topic.metadata.propagation.max.ms": "500"])
            let partition = KafkaTopicPartition(topic: try await RealKafka.topic("deleted"), partition: 0)
            let other = KafkaTopicPartition(topic: try await RealKafka.topic("kept"), partition: 0)
            let (reader, observed) = try observedReader(configuration)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send([
                KafkaOutgoingMessage(partition.topic, 0, "x"), KafkaOutgoingMessage(other.topic, 0, "a"),
            ])
            reader.add([partition: 0, other: 0])
            try await observed.wait(for: "both messages") { $0.messages.count == 2 }
            let admin = try KafkaAdmin(configuration)
            try await admin.deleteTopics([partition.topic])[partition.topic]!.get()
            let seen = try await observed.wait(for: "the absence") { !$0.unknown.isEmpty }
            #expect(seen.unknown == [partition])
            _ = try await producer.send([KafkaOutgoingMessage(other.topic, 0, "b")])
            try await observed.wait(for: "the kept topic's message") { $0.texts(other) == ["a", "b"] }
            await reader.close()
            await producer.close()
            await admin.close()
        }

        @Test("a partition that was read before and is gone by now is reported in bounded time when it is added again")
        func goneMeanwhile() async throws {
            let configuration = try RealKafka.configuration()
            let partition = KafkaTopicPartition(topic: try await RealKafka.topic("gone"), partition: 0)
            let (reader, observed) = try observedReader(configuration)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send([KafkaOutgoingMessage(partition.topic, 0, "x")])
            for count in 1...2 {
                reader.add([partition: 0])
                try await observed.wait(for: "the message") { $0.messages.count == count }
                reader.remove([partition])
            }
            let admin = try KafkaAdmin(configuration)
            try await admin.deleteTopics([partition.topic])[partition.topic]!.get()
            // Brokers may serve the topic for a moment longer, and report its end to the reader.
            try await eventually("the topic to be gone") {
                guard case .failure(let error) = try await admin.describeTopics([partition.topic])[partition.topic]
                else { return false }
                return error.isTopicAbsent
            }
            reader.add([partition: 1])
            // librdkafka by itself says so after `topic.metadata.propagation.max.ms`, 30 s.
            let seen = try await observed.wait(for: "the absence") { !$0.unknown.isEmpty }
            #expect(seen.unknown == [partition])
            await reader.close()
            await producer.close()
            await admin.close()
        }

        @Test("offsets that were removed, and those past the end, are reported, and the watermarks distinguish them")
        func outOfRange() async throws {
            let configuration = try RealKafka.configuration()
            let partition = KafkaTopicPartition(topic: try await RealKafka.topic("range", partitions: 2), partition: 1)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send((0..<10).map { KafkaOutgoingMessage(partition.topic, 1, "\($0)") })
            let admin = try KafkaAdmin(configuration)
            #expect(try await admin.deleteRecords(below: [partition: 4])[partition]!.get() == 4)
            let (reader, observed) = try observedReader(configuration)
            #expect(try await reader.watermarks(of: partition) == KafkaWatermarks(low: 4, high: 10))

            reader.add([partition: 2])
            try await observed.wait(for: "an offset below") { $0.outOfRange[partition] == 2 }
            reader.add([partition: 11])
            try await observed.wait(for: "an offset beyond") { $0.outOfRange[partition] == 11 }
            #expect(observed.value.messages.isEmpty)
            reader.add([partition: 4])
            try await observed.wait(for: "what is kept") { $0.texts(partition) == (4..<10).map(String.init) }
            // The end itself is in range.
            reader.add([partition: 10])
            await reader.settled()
            _ = try await producer.send([KafkaOutgoingMessage(partition.topic, 1, "10")])
            try await observed.wait(for: "the next message") { $0.messages.count == 7 }
            #expect(observed.value.messages.last?.offset == 10)
            await reader.close()
            await producer.close()
            await admin.close()
        }

        @Test("thousands of partitions of new topics are added at once, and each delivers")
        func many() async throws {
            let configuration = try RealKafka.configuration()
            let prefix = RealKafka.unique("many")
            let names = (0..<1_500).map { "\(prefix)-\($0)" }
            let admin = try KafkaAdmin(configuration)
            let created = try await admin.createTopics(names.map { KafkaNewTopic(name: $0) })
            #expect(created.count == names.count)
            for result in created.values { try result.get() }
            let producer = try KafkaProducer(configuration)
            try await producer.prepare(topics: names)
            _ = try await producer.send(names.map { KafkaOutgoingMessage($0, 0, $0) })
            let absent = KafkaTopicPartition(topic: "\(prefix)-absent", partition: 0)
            let (reader, observed) = try observedReader(configuration)
            var offsets = [absent: Int64(0)]
            for name in names { offsets[KafkaTopicPartition(topic: name, partition: 0)] = 0 }
            reader.add(offsets)
            let seen = try await observed.wait(for: "all messages") {
                $0.messages.count == 1_500 && !$0.unknown.isEmpty
            }
            #expect(Set(seen.messages.map(\.text)) == Set(names))
            #expect(seen.unknown == [absent])
            await reader.close()
            await producer.close()
            for result in try await admin.deleteTopics(names).values { try result.get() }
            await admin.close()
        }

        @Test("a batch that is kept beyond the handler's call is empty")
        func lending() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("lending")
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "x")])
            let counts = Observed<[Int]>([])
            let reader = try KafkaPartitionReader(configuration) { event in
                guard case .messages(let batch) = event else { return }
                counts.update { $0.append(batch.count) }
                // Only this thread ever touches the batch.
                Kept.batches.append(batch)
                counts.update { $0.append(contentsOf: Kept.batches.dropLast().map(\.count)) }
            }
            reader.add([KafkaTopicPartition(topic: topic, partition: 0): 0])
            try await counts.wait(for: "the first batch") { $0.count == 1 }
            _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "y")])
            let seen = try await counts.wait(for: "the second batch") { $0.count == 3 }
            #expect(seen == [1, 1, 0])
            await reader.close()
            await producer.close()
        }

        private enum Kept {
            /// Unsafe, as the test wants: what a careless handler would do.
            nonisolated(unsafe) static var batches: [KafkaBatch] = []
        }
    }
}
