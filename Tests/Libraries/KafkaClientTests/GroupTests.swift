import KafkaClient
import Testing

extension OnRealKafka {
    @Suite("A group on a real Kafka")
    struct GroupTests {
        @Test("partitions move between members without loss or repeat when positions are committed before the release")
        func cooperativeRebalance() async throws {
            let configuration = try RealKafka.configuration(["heartbeat.interval.ms": "100"])
            let topic = try await RealKafka.topic("moving", partitions: 6)
            let group = RealKafka.unique("group")
            let all = (0..<6).map { KafkaTopicPartition(topic: topic, partition: Int32($0)) }
            let producer = try KafkaProducer(configuration)
            func send(_ round: Int) async throws {
                _ = try await producer.send(
                    (0..<600).map { KafkaOutgoingMessage(topic, Int32($0 % 6), "\(round * 100 + $0 / 6)") })
            }
            try await send(0)

            let first = try Member(configuration, group: group, topics: [topic])
            try await first.seen.wait(for: "all partitions") { $0.owned == Set(all) }
            #expect(try await first.consumer.committed(all) == [:])
            first.start(Dictionary(uniqueKeysWithValues: all.map { ($0, 0) }))
            try await first.seen.wait(for: "the first round") { $0.messages.count == 600 }

            let second = try Member(configuration, group: group, topics: [topic])
            let revoked = try await first.seen.wait(for: "a revocation") { !$0.revoked.isEmpty }.revoked
            try await send(1)
            let stay = Set(all).subtracting(revoked)
            #expect(stay.count == 3)
            #expect(second.seen.value.owned.isEmpty)
            let positions = positions(first.seen.value.messages, revoked)
            try await first.consumer.commit(positions)
            first.release(revoked)
            await #expect(throws: KafkaError.self) { try await first.consumer.commit(positions) }

            try await second.seen.wait(for: "the moved partitions") { $0.owned == Set(revoked) }
            let committed = try await second.consumer.committed(revoked)
            #expect(committed == positions)
            second.start(committed.mapValues(\.offset))
            try await send(2)
            try await first.seen.wait(for: "the third round of what stays") {
                $0.messages.filter { stay.contains($0.source) }.count == 900
            }
            try await second.seen.wait(for: "everything of what moved") { [positions] seen in
                seen.messages.count == positions.reduce(0) { $0 + 300 - Int($1.value.offset) }
            }

            // The second leaves: what it had comes back.
            try await second.consumer.commit(self.positions(second.seen.value.messages, revoked))
            await second.consumer.close()
            try await first.seen.wait(for: "the return of the moved partitions") { $0.owned == Set(all) }
            let back = try await first.consumer.committed(revoked)
            first.start(back.mapValues(\.offset))
            try await send(3)
            try await first.seen.wait(for: "the fourth round") { seen in
                seen.messages.filter { ($0.text.utf8.count == 3) && $0.text.hasPrefix("3") }.count == 600
            }
            for partition in all {
                let read = (first.seen.value.messages + second.seen.value.messages).filter { $0.source == partition }
                #expect(read.map(\.offset).sorted() == Array(0..<400), "\(partition)")
            }
            #expect(first.seen.value.trespasses == [] && second.seen.value.trespasses == [])
            #expect(first.seen.value.lost == [] && second.seen.value.lost == [])
            await first.consumer.close()
            await producer.close()
        }

        @Test("members come and go under load: every message is taken once, in order, and again only after a loss")
        func churn() async throws {
            let configuration = try RealKafka.configuration(["heartbeat.interval.ms": "50"])
            let topic = try await RealKafka.topic("churn", partitions: 6)
            let group = RealKafka.unique("group")
            let producer = try KafkaProducer(RealKafka.configuration())
            let taken = Observed<[Int32: [Int64]]>([:])
            var workers: [Worker] = []
            var sent = 0
            var lost: Set<Int32> = []
            func leave(_ worker: Worker) async {
                await worker.leave()
                #expect(worker.failures.value == [])
                lost.formUnion(worker.lost.value)
            }
            for round in 0..<16 {
                // Up to four members; the oldest leaves, and comes back later.
                if workers.count == 4 || (round % 5 == 4 && workers.count > 1) {
                    await leave(workers.removeFirst())
                } else {
                    workers.append(try Worker(configuration, group: group, topic: topic, taken: taken))
                }
                _ = try await producer.send((0..<3_000).map { KafkaOutgoingMessage(topic, Int32($0 % 6), "") })
                sent += 3_000
                try await taken.wait(for: "round \(round)") { [sent] taken in
                    taken.values.reduce(0) { $0 + Int(($1.last ?? -1) + 1) } >= sent
                }
            }
            for worker in workers { await leave(worker) }
            for partition in Int32(0)..<6 {
                let offsets = taken.value[partition] ?? []
                guard lost.contains(partition) else {
                    #expect(offsets == Array(0..<Int64(sent / 6)), "partition \(partition)")
                    continue
                }
                // It may go back, and leaves nothing out.
                var next: Int64 = 0
                var gaps: [Int64] = []
                for offset in offsets {
                    if offset > next { gaps.append(offset) }
                    next = max(next, offset + 1)
                }
                #expect(gaps == [] && next == Int64(sent / 6), "partition \(partition)")
            }
            await producer.close()
        }

        @Test("members leave at any moment of joining, also those that get no partition", arguments: 0..<3)
        func earlyLeave(run: Int) async throws {
            // A member that leaves while it is being named keeps the group waiting until its session is over.
            let configuration = try RealKafka.configuration([
                "heartbeat.interval.ms": "50", "session.timeout.ms": "1000",
            ])
            let topic = try await RealKafka.topic("early")
            let group = RealKafka.unique("group")
            let taken = Observed<[Int32: [Int64]]>([:])
            let first = try Worker(configuration, group: group, topic: topic, taken: taken)
            for round in 0..<10 {
                let others = try (0...run).map { _ in try Member(configuration, group: group, topics: [topic]) }
                // Some turns of the member's thread later each time.
                for other in others {
                    for _ in 0..<round * 30 { await other.consumer.settled() }
                    await other.consumer.close()
                }
            }
            await first.leave()
        }

        @Test("an owner that does not start its partitions at once keeps its place, and may be asked to give them back")
        func slowOwner() async throws {
            // Polled or not, a member that does not poll for this long would be put out of the group.
            let configuration = try RealKafka.configuration([
                "max.poll.interval.ms": "2000", "session.timeout.ms": "2000", "heartbeat.interval.ms": "200",
            ])
            let topic = try await RealKafka.topic("slow", partitions: 2)
            let group = RealKafka.unique("group")
            let producer = try KafkaProducer(RealKafka.configuration())
            _ = try await producer.send((0..<20).map { KafkaOutgoingMessage(topic, Int32($0 % 2), "\($0)") })
            let first = try Member(configuration, group: group, topics: [topic])
            let owned = try await first.seen.wait(for: "an assignment") { $0.owned.count == 2 }.owned
            // A second member joins, gets one of the partitions that were never started, and leaves.
            let second = try Member(configuration, group: group, topics: [topic])
            let revoked = try await first.seen.wait(for: "a revocation") { $0.revoked.count == 1 }.revoked
            first.release(revoked)
            try await second.seen.wait(for: "the moved partition") { $0.owned == Set(revoked) }
            await second.consumer.close()
            try await first.seen.wait(for: "its return") { $0.owned == owned }
            // Longer than the poll interval: the broker's clock has to pass.
            try? await Task.sleep(for: .seconds(3))
            #expect(first.seen.value.lost == [])
            #expect(first.seen.value.messages.isEmpty)
            first.start(Dictionary(uniqueKeysWithValues: owned.map { ($0, 4) }))
            let seen = try await first.seen.wait(for: "the messages") { $0.messages.count == 12 }
            for partition in owned {
                #expect(seen.messages.filter { $0.source == partition }.map(\.offset) == Array(4..<10))
            }
            #expect(first.seen.value.trespasses == [])
            await first.consumer.close()
            await producer.close()
        }

        @Test("paused partitions stay silent, and resumed and sought ones go on exactly where they should")
        func pauseResumeSeek() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("paused", partitions: 2)
            let (still, moving) = (
                KafkaTopicPartition(topic: topic, partition: 0), KafkaTopicPartition(topic: topic, partition: 1)
            )
            let producer = try KafkaProducer(configuration)
            let member = try Member(configuration, group: RealKafka.unique("group"), topics: [topic])
            try await member.seen.wait(for: "an assignment") { $0.owned.count == 2 }
            member.start([still: 0, moving: 0])
            var sent = 0
            for round in 0..<20 {
                // Pause in the middle of a flow.
                async let flow = producer.send((0..<2_000).map { KafkaOutgoingMessage(topic, Int32($0 % 2), "") })
                sent += 1_000
                member.consumer.pause([still])
                await member.consumer.settled()
                let before = member.seen.value.messages.filter { $0.source == still }.count
                _ = try await flow
                try await member.seen.wait(for: "the other partition, round \(round)") { [sent] seen in
                    seen.messages.filter { $0.source == moving }.count == sent
                }
                #expect(member.seen.value.messages.filter { $0.source == still }.count == before, "round \(round)")
                member.consumer.resume([still])
                try await member.seen.wait(for: "the resumed partition, round \(round)") { [sent] seen in
                    seen.messages.filter { $0.source == still }.count >= sent
                }
            }
            for partition in [still, moving] {
                #expect(
                    member.seen.value.messages.filter { $0.source == partition }.map(\.offset) == Array(0..<Int64(sent))
                )
            }
            for target in [Int64(10), 19_000, 0, 19_990] {
                member.seen.update { $0.messages = [] }
                member.consumer.seek([still: target])
                await member.consumer.settled()
                try await member.seen.wait(for: "messages from \(target)") { [sent] in
                    $0.messages.last?.offset == Int64(sent - 1)
                }
                #expect(member.seen.value.messages.map(\.offset) == Array(target..<Int64(sent)))
            }
            #expect(member.seen.value.errors == [])
            await member.consumer.close()
            await producer.close()
        }

        @Test("an offset that is not there is reported, and the partition goes on after a seek")
        func outOfRange() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("range")
            let partition = KafkaTopicPartition(topic: topic, partition: 0)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send((0..<5).map { KafkaOutgoingMessage(topic, 0, "\($0)") })
            let member = try Member(configuration, group: RealKafka.unique("group"), topics: [topic])
            try await member.seen.wait(for: "an assignment") { $0.owned.count == 1 }
            member.start([partition: 9])
            try await member.seen.wait(for: "the report") { $0.outOfRange[partition] == 9 }
            #expect(try await member.consumer.watermarks(of: partition) == KafkaWatermarks(low: 0, high: 5))
            member.consumer.seek([partition: 3])
            let seen = try await member.seen.wait(for: "messages") { $0.messages.count == 2 }
            #expect(seen.messages.map(\.offset) == [3, 4])
            await member.consumer.close()
            await producer.close()
        }

        @Test("a partition that is started again is read from there, also when it was paused")
        func startedAgain() async throws {
            let configuration = try RealKafka.configuration()
            let topic = try await RealKafka.topic("again")
            let partition = KafkaTopicPartition(topic: topic, partition: 0)
            let producer = try KafkaProducer(configuration)
            _ = try await producer.send((0..<5).map { KafkaOutgoingMessage(topic, 0, "\($0)") })
            let member = try Member(configuration, group: RealKafka.unique("group"), topics: [topic])
            try await member.seen.wait(for: "an assignment") { $0.owned.count == 1 }
            member.start([partition: 0])
            try await member.seen.wait(for: "messages") { $0.messages.count == 5 }
            member.consumer.pause([partition])
            member.consumer.start([partition: 2]) { [seen = member.seen] in seen.update { $0.messages = [] } }
            let seen = try await member.seen.wait(for: "messages from there") { $0.messages.count == 3 }
            #expect(seen.messages.map(\.offset) == [2, 3, 4] && seen.errors == [])
            await member.consumer.close()
            await producer.close()
        }

        @Test("a member that the group has removed gets its losses, and comes back")
        func lost() async throws {
            let configuration = try RealKafka.configuration([
                "max.poll.interval.ms": "1000", "session.timeout.ms": "1000", "heartbeat.interval.ms": "100",
            ])
            let topic = try await RealKafka.topic("lost")
            let partition = KafkaTopicPartition(topic: topic, partition: 0)
            let producer = try KafkaProducer(RealKafka.configuration())
            _ = try await producer.send([KafkaOutgoingMessage(topic, 0, "x")])
            let seen = Observed(Membership())
            let consumer = try KafkaGroupConsumer(configuration, group: RealKafka.unique("group"), topics: [topic]) {
                event in
                switch event {
                case .assigned(let partitions): seen.update { $0.owned.formUnion(partitions) }
                case .lost(let partitions):
                    seen.update {
                        $0.lost += partitions
                        $0.owned.subtract(partitions)
                    }
                case .messages(let batch):
                    seen.update { $0.messages += batch.copies() }
                    // A handler that takes longer than the poll interval, which is what this test is about.
                    Stall.seconds(2)
                default: break
                }
            }
            try await seen.wait(for: "an assignment") { $0.owned == [partition] }
            consumer.start([partition: 0])
            try await seen.wait(for: "the loss") { $0.lost == [partition] }
            try await seen.wait(for: "a new assignment") { $0.owned == [partition] }
            try await consumer.commit([partition: KafkaCommittedOffset(offset: 1)])
            await consumer.close()
            await producer.close()
        }

        @Test("a member without partitions leaves: the group does not wait for its session")
        func leavesWithoutPartitions() async throws {
            let configuration = try RealKafka.configuration(["heartbeat.interval.ms": "100"])
            let topic = try await RealKafka.topic("spare", partitions: 1)
            let group = RealKafka.unique("group")
            let owner = try Member(configuration, group: group, topics: [topic])
            try await owner.seen.wait(for: "the partition") { $0.owned.count == 1 }
            let spare = try Member(configuration, group: group, topics: [topic])
            let admin = try KafkaAdmin(configuration)
            var description = try await admin.describeGroups([group])[group]?.get()
            while description?.members.count != 2 || description?.state != "Stable" {
                description = try await admin.describeGroups([group])[group]?.get()
            }
            await spare.consumer.close(timeout: .seconds(600))
            #expect(try await admin.describeGroups([group])[group]?.get().members.count == 1)
            #expect(owner.seen.value.lost == [])
            await admin.close()
            await owner.consumer.close()
        }

        @Test("a member that leaves while it joins again, without partitions, is not waited for")
        func leavesWhileJoining() async throws {
            let topic = try await RealKafka.topic("leaving", partitions: 2)
            let group = RealKafka.unique("group")
            let producer = try KafkaProducer(RealKafka.configuration())
            _ = try await producer.send((0..<2).map { KafkaOutgoingMessage(topic, $0, "x") })
            // It hears of a rebalance late, so that the other one joins for as long.
            let taken = Observed<[Int32: [Int64]]>([:])
            let late = try Worker(
                RealKafka.configuration(["heartbeat.interval.ms": "2000"]), group: group, topic: topic, taken: taken)
            try await taken.wait(for: "all messages") { $0.count == 2 }
            let configuration = try RealKafka.configuration([
                "max.poll.interval.ms": "3000", "session.timeout.ms": "3000", "heartbeat.interval.ms": "100",
            ])
            let seen = Observed(Membership())
            let consumer = try KafkaGroupConsumer(configuration, group: group, topics: [topic]) { event in
                switch event {
                case .assigned(let partitions): seen.update { $0.owned.formUnion(partitions) }
                case .lost(let partitions): seen.update { $0.lost += partitions }
                // Longer than the poll interval.
                case .messages: Stall.seconds(4)
                default: break
                }
            }
            try await seen.wait(for: "an assignment") { $0.owned.count == 1 }
            consumer.start(Dictionary(uniqueKeysWithValues: seen.value.owned.map { ($0, 0) }))
            try await seen.wait(for: "the loss") { $0.lost.count == 1 }
            let admin = try KafkaAdmin(RealKafka.configuration())
            func members() async throws -> Int {
                try await admin.describeGroups([group])[group]?.get().members.count ?? 0
            }
            // Until the group has it again. It closes within the joining unless the machine is slow.
            while try await members() < 2 { await consumer.settled() }
            await consumer.close(timeout: .seconds(600))
            #expect(try await members() == 1)
            await admin.close()
            await late.leave()
            await producer.close()
        }

        /// After the last message of each partition.
        private func positions(
            _ messages: [KafkaMessage], _ partitions: [KafkaTopicPartition]
        ) -> [KafkaTopicPartition: KafkaCommittedOffset] {
            var positions: [KafkaTopicPartition: KafkaCommittedOffset] = [:]
            for partition in partitions {
                let last = messages.filter { $0.source == partition }.map(\.offset).max()!
                positions[partition] = KafkaCommittedOffset(offset: last + 1, metadata: "\(partition)|\(last)")
            }
            return positions
        }
    }
}

extension KafkaMessage {
    var source: KafkaTopicPartition { KafkaTopicPartition(topic: topic, partition: partition) }
}
