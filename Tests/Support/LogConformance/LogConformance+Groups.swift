import EventLog
import Synchronization
import Testing

extension LogConformance {
    static let groupChecks: [Check] = [
        Check("a lone member gets all partitions and finds its committed pairs again", needs: [.groups]) {
            environment in
            let topic = try await environment.make("lone", partitions: 4)
            let group = environment.group("lone")
            let partitions = (0..<Int32(4)).map { TopicPartition(topic, $0) }
            let member = try await environment.log.join(group, topics: [topic])
            #expect(try await member.assigned(4) == partitions)
            #expect(try await member.committed(partitions).isEmpty)
            var position = LogPosition(offset: 7)
            let source = SourceID(origin: "changes.public", incarnation: .max, partition: 3)
            _ = position.advance(to: SourcePosition(source: source, offset: 99, index: 2))
            for partition in partitions { _ = try await member.start(partition, from: 0) }
            try await member.commit([partitions[1]: position, partitions[2]: LogPosition(offset: 0)])
            await member.leave()
            let next = try await environment.log.join(group, topics: [topic])
            _ = try await next.assigned(4)
            let found = try await next.committed(partitions)
            #expect(found == [partitions[1]: position, partitions[2]: LogPosition(offset: 0)])
            #expect(try await environment.log.committedPositions(of: group, partitions) == found)
            await next.leave()
        },
        Check("members share partitions, and every entry is worked on once", needs: [.groups, .steadyGenerations]) {
            environment in
            let topic = try await environment.make("share", partitions: 6)
            let group = environment.group("share")
            let seen = Mutex<[String: Int]>([:])
            let writer = try await environment.log.makeWriter()
            func count() -> Int { seen.withLock { $0.count } }
            func append(_ round: Int) async throws {
                try await writer.append(
                    (0..<Int32(6)).flatMap { number in
                        (0..<20).map { OutgoingEntry(TopicPartition(topic, number), "\(round) \(number) \($0)") }
                    })
            }
            let note: @Sendable (String) -> Void = { text in seen.withLock { $0[text, default: 0] += 1 } }
            try await append(1)
            let first = Worker(try await environment.log.join(group, topics: [topic]), note)
            try await eventually("the first round") { seen.withLock { $0.count } == 120 }
            let second = Worker(try await environment.log.join(group, topics: [topic]), note)
            try await eventually("an even share") { first.owned == 3 && second.owned == 3 }
            try await append(2)
            try await eventually("the second round") { seen.withLock { $0.count } == 240 }
            try await second.stop()
            try await eventually("all partitions with one") { first.owned == 6 }
            try await append(3)
            try await eventually("the third round") { seen.withLock { $0.count } == 360 }
            try await first.stop()
            #expect(seen.withLock { $0.values.allSatisfy { $0 == 1 } })
        },
        Check("a partition that is started again is read from there, with nothing left out", needs: [.groups]) {
            environment in
            let topic = try await environment.make("again")
            let partition = TopicPartition(topic, 0)
            let writer = try await environment.log.makeWriter()
            try await writer.append((0..<5).map { OutgoingEntry(partition, "\($0)") })
            let member = try await environment.log.join(environment.group("again"), topics: [topic])
            while !(try await member.assigned(1).contains(partition)) {}
            let first = try await member.start(partition, from: 0)
            #expect(try await first.entries(5).map(\.text) == (0..<5).map { "\($0)" })
            // As an owner that got it again, while its former owner started it after the loss.
            let second = try await member.start(partition, from: 1)
            #expect(try await second.entries(4).map(\.text) == (1..<5).map { "\($0)" })
            first.close()
            try await writer.append([OutgoingEntry(partition, "5")])
            #expect(try await second.entries(1).map(\.text) == ["5"])
            await member.leave()
        },
        Check("a released partition's commits are refused and its follower ends", needs: [.groups, .steadyGenerations])
        { environment in
            let topic = try await environment.make("release", partitions: 2)
            let partition = TopicPartition(topic, 0)
            let member = try await environment.log.join(environment.group("release"), topics: [topic])
            _ = try await member.assigned(2)
            let follower = try await member.start(partition, from: 0)
            _ = try await member.start(TopicPartition(topic, 1), from: 0)
            let other = try await environment.log.join(environment.group("release"), topics: [topic])
            let revoked = try await member.revoked()
            let kept = try #require(Set([partition, TopicPartition(topic, 1)]).subtracting(revoked).first)
            try await member.commit([revoked[0]: LogPosition(offset: 0)])
            try await member.release(revoked)
            #expect(try await other.assigned(1) == revoked)
            await #expect(throws: LogError.self) { try await member.commit([revoked[0]: LogPosition(offset: 0)]) }
            // While the group settles, it may be of one generation for its coordinator and of another for the member.
            try await eventually("the commit of what was kept") {
                (try? await member.commit([kept: LogPosition(offset: 0)])) != nil
            }
            if revoked == [partition] {
                await #expect(throws: LogError.self) { while true { _ = try await follower.next() } }
            }
            await member.leave()
            await other.leave()
        },
    ]
}

extension LogMembership {
    /// Waits until that many partitions were assigned; returns them sorted.
    func assigned(_ count: Int) async throws -> [TopicPartition] {
        var all: [TopicPartition] = []
        while all.count < count {
            if case .assigned(let partitions) = try await next() { all += partitions }
        }
        return all.sorted()
    }

    /// Waits for a revocation.
    func revoked() async throws -> [TopicPartition] {
        while true {
            if case .revoked(let partitions) = try await next() { return partitions }
        }
    }
}

/// A member as a stage would be: reads what it owns, commits after each batch, and commits before it gives back.
private final class Worker: Sendable {
    private let member: any LogMembership
    private let note: @Sendable (String) -> Void
    private let state = Mutex<[TopicPartition: Task<Void, any Error>]>([:])
    private let loop = Mutex<Task<Void, any Error>?>(nil)

    init(_ member: any LogMembership, _ note: @escaping @Sendable (String) -> Void) {
        self.member = member
        self.note = note
        loop.withLock { $0 = Task { try await self.run() } }
    }

    var owned: Int { state.withLock { $0.count } }

    func stop() async throws {
        loop.withLock { $0 }?.cancel()
        _ = await loop.withLock { $0 }?.result
        for task in state.withLock({ Array($0.values) }) {
            task.cancel()
            _ = await task.result
        }
        await member.leave()
    }

    private func run() async throws {
        while true {
            switch try await member.next() {
            case .assigned(let partitions):
                let committed = try await member.committed(partitions)
                for partition in partitions {
                    let follower = try await member.start(partition, from: committed[partition]?.offset ?? 0)
                    let task = Task { try await self.read(partition, follower) }
                    state.withLock { $0[partition] = task }
                }
            case .revoked(let partitions):
                await end(partitions)
                try await member.release(partitions)
            case .lost(let partitions): await end(partitions)
            }
        }
    }

    private func end(_ partitions: [TopicPartition]) async {
        for partition in partitions {
            let task = state.withLock { $0.removeValue(forKey: partition) }
            task?.cancel()
            _ = await task?.result
        }
    }

    private func read(_ partition: TopicPartition, _ follower: any LogFollower) async throws {
        while true {
            let batch = try await follower.next()
            // Not cut short: the work is committed before another member gets the partition.
            try await Task {
                for entry in batch.entries { self.note(entry.text ?? "") }
                try await self.member.commit([partition: LogPosition(offset: batch.nextOffset)])
            }.value
        }
    }
}
