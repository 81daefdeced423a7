import EventLog
import Synchronization

/// The log port of one process.
final class SimulatedPort: EventLog {
    let log: SimulatedLog
    let life: Life
    /// How often this process took each state over.
    let takeOvers = Mutex<[TopicPartition: Int]>([:])
    /// The incarnations that a process with that mistake keeps.
    private let incarnations = Mutex<[TopicName: UInt64]>([:])

    init(_ log: SimulatedLog, life: Life) {
        self.log = log
        self.life = life
    }

    /// Longer than a history hides entries.
    var staleBoundsMax: Duration { .seconds(25) }

    /// Begins a call: others go on first, and it may be one that fails.
    func enter(_ what: StaticString) async throws -> Fault.Call? {
        await Task.yield()
        if life.isDead { throw LogError.closed }
        if log.isAway {
            await Scheduler.shared.pass(.milliseconds(100))
            throw LogError.unavailable("no broker has power")
        }
        let fault = log.plan.nextCall()
        Trace.add("\(what)\(fault.map { " \($0)" } ?? "")")
        switch fault {
        case .failsBefore: throw LogError.unavailable("the history wants it so")
        case .hangs:
            await Scheduler.shared.pass(.seconds(1 + Scheduler.shared.random(below: 30)))
            if life.isDead { throw LogError.closed }
            return nil
        default: return fault
        }
    }

    /// Ends a call whose work is done.
    func leave(_ fault: Fault.Call?) async throws {
        await Task.yield()
        if life.isDead { throw LogError.closed }
        if fault == .failsAfter || fault == .failsWithin { throw LogError.unavailable("the history wants it so") }
    }

    func identity() async throws -> String { "simulated" }

    func createTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: TopicCreation] {
        let fault = try await enter("createTopics")
        var result: [TopicName: TopicCreation] = [:]
        for (index, specification) in specifications.enumerated() {
            if fault == .failsWithin, index > 0 { break }
            result[specification.name] = log.create(specification)
            Trace.add("create \(specification.name)")
        }
        try await leave(fault)
        return result
    }

    func configureTopics(_ specifications: [TopicSpecification]) async throws -> [TopicName: LogError] {
        try await leave(try await enter("configureTopics"))
        return [:]
    }

    func describeTopics(_ names: [TopicName]) async throws -> [TopicName: TopicDescription] {
        try await leave(try await enter("describeTopics"))
        return log.contents.withLock { contents in
            Dictionary(
                names.compactMap { name in
                    contents.topics[name].map { (name, describe($0, isOfStage: names.count == 1)) }
                }
            ) { first, _ in first }
        }
    }

    /// - Parameter isOfStage: true for a stage, which asks about its input alone.
    private func describe(_ topic: SimulatedContents.Topic, isOfStage: Bool) -> TopicDescription {
        let specification = topic.specification
        var incarnation = topic.incarnation
        if Mutation.keepTheIncarnation.isOn, isOfStage {
            incarnation = incarnations.withLock { known in
                known[specification.name] = known[specification.name] ?? topic.incarnation
                return known[specification.name]!
            }
        }
        var cleanup = specification.cleanup
        if Mutation.tombstoneBySettings.isOn { cleanup = .delete(afterMilliseconds: 1) }
        return TopicDescription(
            name: specification.name, partitions: specification.partitions, cleanup: cleanup,
            messageBytesMax: specification.messageBytesMax, incarnation: specification.isSource ? incarnation : nil,
            replicationFactor: 1)
    }

    func topics(withPrefix prefix: String) async throws -> [TopicName] {
        let fault = try await enter("topics")
        let names = log.contents.withLock { $0.topics.keys.filter { $0.rawValue.hasPrefix(prefix) } }.sorted()
        try await leave(fault)
        return fault == .isOld ? Array(names.dropLast()) : names
    }

    func deleteTopics(_ names: [TopicName]) async throws -> [TopicName: LogError] {
        let fault = try await enter("deleteTopics")
        for (index, name) in names.enumerated() {
            if fault == .failsWithin, index > 0 { break }
            log.delete(name)
            Trace.add("delete \(name)")
        }
        try await leave(fault)
        return [:]
    }

    func bounds(of partitions: [TopicPartition]) async throws -> [TopicPartition: OffsetBounds] {
        let fault = try await enter("bounds")
        if fault == .isAbsent, let first = partitions.first { throw LogError.unknownTopic("\(first)") }
        try await leave(fault)
        let isOld = fault == .isOld || Scheduler.shared.chance(oneIn: 2)
        return try log.contents.withLock { contents in
            var result: [TopicPartition: OffsetBounds] = [:]
            for partition in partitions {
                let held = try contents.partition(partition)
                var end = held.end
                if isOld, let old = held.oldEnd { end = old }
                if fault == .isOld { end = max(held.start, held.end - Int64(Scheduler.shared.random(below: 4))) }
                result[partition] = OffsetBounds(start: held.start, end: end)
            }
            return result
        }
    }

    func makeWriter() async throws -> any LogWriter { SimulatedWriter(self) }

    func follow(_ partition: TopicPartition, from offset: Int64) async throws -> any LogFollower {
        let fault = try await enter("follow")
        if fault == .isAbsent { throw LogError.unknownTopic("\(partition)") }
        try await leave(fault)
        return try SimulatedFollower(self, partition, from: offset)
    }

    func join(_ group: GroupName, topics: [TopicName]) async throws -> any LogMembership {
        try await leave(try await enter("join"))
        let partitions = try log.contents.withLock { contents in
            try topics.flatMap { name in
                guard let topic = contents.topics[name] else { throw LogError.unknownTopic("\(name)") }
                return topic.partitions.indices.map { TopicPartition(name, Int32($0)) }
            }
        }
        return SimulatedMembership(self, group, partitions)
    }

    func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
        let fault = try await enter("takeOver")
        takeOvers.withLock { $0[claim.state, default: 0] += 1 }
        let number = log.contents.withLock { contents in
            contents.fences[claim.state, default: 0] += 1
            return contents.fences[claim.state]!
        }
        try await leave(fault)
        // A reported end may be stale; the nonce that the session writes itself marks the true end.
        return try log.contents.withLock { contents in
            let held = try contents.partition(claim.state)
            var end = held.end
            if Mutation.stateToReportedEnd.isOn, Scheduler.shared.chance(oneIn: 4) {
                end = held.oldEnd ?? max(0, end - Int64(1 + Scheduler.shared.random(below: 4)))
            }
            return SimulatedSession(
                self, claim, number: number, initialState: try contents.latest(claim.state, before: end),
                initialOffset: contents.stateOffsets[claim.state])
        }
    }

    func close() async {}
}
