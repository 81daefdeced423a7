import KafkaClient
import Testing

extension OnRealKafka {
    @Suite("Transactions on a real Kafka")
    struct TransactionTests {
        @Test("messages and offsets of a transaction are visible after the commit and not before; aborted ones never")
        func commitAndAbort() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("committed")
            let input = try await RealKafka.topic("input")
            let group = RealKafka.unique("group")
            let partition = KafkaTopicPartition(topic: topic, partition: 0)
            let source = KafkaTopicPartition(topic: input, partition: 0)
            let (reader, observed) = try observedReader(configuration)
            let (dirty, seenDirty) = try observedReader(configuration.adding(["isolation.level": "read_uncommitted"]))
            reader.add([partition: 0])
            dirty.add([partition: 0])
            let admin = try KafkaAdmin(configuration)

            let producer = try KafkaTransactionalProducer(configuration, transactionalID: RealKafka.unique("id"))
            try await producer.initTransactions()
            try await producer.begin()
            _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "aborted")])
            try await producer.sendOffsets([source: KafkaCommittedOffset(offset: 1, metadata: "no")], group: group)
            try await producer.abort()
            try await producer.begin()
            async let first = producer.send([KafkaOutgoingMessage(topic, 0, "a"), KafkaOutgoingMessage(topic, 0, "b")])
            async let second = producer.send([KafkaOutgoingMessage(topic, 0, "c")])
            let offsets = try await first + second
            #expect(Set(offsets).count == 3)
            let text = "position é 😀 \(String(repeating: "x", count: 2_000))"
            try await producer.sendOffsets([source: KafkaCommittedOffset(offset: 7, metadata: text)], group: group)

            // Acknowledged, and on the disk, but nobody's yet.
            try await seenDirty.wait(for: "what is not committed") {
                Set($0.texts(partition)).isSuperset(of: ["aborted", "a", "b", "c"])
            }
            #expect(observed.value.messages.isEmpty)
            #expect(try await admin.watermarks(of: [partition])[partition]!.get().high < offsets.min()! + 1)

            try await producer.commit()
            try await observed.wait(for: "what is committed") { $0.messages.count == 3 }
            #expect(Set(observed.value.texts(partition)) == ["a", "b", "c"])
            #expect(observed.value.messages.map(\.offset) == offsets.sorted())
            #expect(
                try await admin.groupOffsets(group, partitions: [source, partition]) == [
                    source: KafkaCommittedOffset(offset: 7, metadata: text)
                ])
            await producer.close()
            await reader.close()
            await dirty.close()
            await admin.close()
        }

        @Test("a later producer of the same ID fences the earlier one, which says so from then on")
        func fencing() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("fencing")
            let id = RealKafka.unique("id")
            let old = try KafkaTransactionalProducer(configuration, transactionalID: id)
            try await old.initTransactions()
            try await old.begin()
            _ = try await old.send([KafkaOutgoingMessage(topic, 0, "zombie")])

            let new = try KafkaTransactionalProducer(configuration, transactionalID: id)
            try await new.initTransactions()
            try await new.begin()
            _ = try await new.send([KafkaOutgoingMessage(topic, 0, "heir")])
            try await new.commit()

            var outcomes: [KafkaTransactionError] = []
            do { try await old.commit() } catch { outcomes.append(error) }
            do { _ = try await old.send([KafkaOutgoingMessage(topic, 0, "late")]) } catch { outcomes.append(error) }
            do { try await old.abort() } catch { outcomes.append(error) }
            do { try await old.begin() } catch { outcomes.append(error) }
            #expect(outcomes.count == 4)
            for outcome in outcomes {
                guard case .fenced = outcome else {
                    Issue.record("not fenced: \(outcome)")
                    continue
                }
            }
            let (reader, observed) = try observedReader(configuration)
            reader.add([KafkaTopicPartition(topic: topic, partition: 0): 0])
            try await observed.wait(for: "the heir's message") { !$0.messages.isEmpty }
            #expect(observed.value.messages.map(\.text) == ["heir"])
            await old.close()
            await new.close()
            await reader.close()
        }

        @Test("a refused message fails its transaction; after the abort the producer goes on")
        func abortable() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("abortable", configuration: ["max.message.bytes": "2000"])
            let producer = try KafkaTransactionalProducer(configuration, transactionalID: RealKafka.unique("id"))
            try await producer.initTransactions()
            try await producer.begin()
            let large = KafkaOutgoingMessage(topic: topic, partition: 0, value: .init(repeating: 0, count: 5_000))
            await expectAbortable { _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "lost"), large]) }
            await expectAbortable { _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "lost too")]) }
            await expectAbortable { try await producer.commit() }
            try await producer.abort()

            // librdkafka 2.0 does not take the sequence numbers of refused messages back, so the next transaction may
            // have to be aborted too; then it begins with new ones.
            var failures: [any Error] = []
            repeat {
                try await producer.begin()
                do {
                    _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "kept")])
                    try await producer.commit()
                    break
                } catch {
                    failures.append(error)
                    try await producer.abort()
                }
            } while failures.count < 2
            #expect(failures.count < 2, "\(failures)")
            let (reader, observed) = try observedReader(configuration)
            reader.add([KafkaTopicPartition(topic: topic, partition: 0): 0])
            try await observed.wait(for: "the committed message") { !$0.messages.isEmpty }
            #expect(observed.value.messages.map(\.text) == ["kept"])
            await producer.close()
            await reader.close()
        }

        @Test("calls out of turn are refused and change nothing")
        func turns() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("turns")
            let producer = try KafkaTransactionalProducer(configuration, transactionalID: RealKafka.unique("id"))
            await expectRefused { try await producer.begin() }
            try await producer.initTransactions()
            await expectRefused { _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "x")]) }
            await expectRefused { try await producer.commit() }
            try await producer.begin()
            await expectRefused { try await producer.begin() }
            let large = KafkaOutgoingMessage(topic: topic, partition: 0, value: .init(repeating: 0, count: 5_000_000))
            await expectRefused { _ = try await producer.send([large]) }
            #expect(try await producer.send([KafkaOutgoingMessage(topic, 0, "x")]) == [0])
            try await producer.commit()
            await producer.close()
        }

        private func expectAbortable(
            _ call: () async throws -> Void, _ location: SourceLocation = #_sourceLocation
        ) async {
            await #expect(sourceLocation: location) { try await call() } throws: {
                if case .abortable = $0 as? KafkaTransactionError { true } else { false }
            }
        }

        private func expectRefused(
            _ call: () async throws -> Void, _ location: SourceLocation = #_sourceLocation
        ) async {
            await #expect(sourceLocation: location) { try await call() } throws: {
                if case .refused = $0 as? KafkaTransactionError { true } else { false }
            }
        }
    }
}
