import CloudMessages
import EventLog
import Poison
import Stages
import Telemetry
import Timing

/// Runs the steps of one partition: copies entries, makes and deletes topics, and notes the state for the next commit.
struct CopyWork {
    typealias Life = DeviceTopic.Life

    /// Topics that wait for entries from before the position, and are served together.
    private struct Pass {
        var lives: Set<Life>
        var next: Int64
        var follower: any LogFollower
    }

    /// Looks for missing topics at one step at most.
    private static let attemptsMax = 3
    /// Topics that are made or deleted in one request, and that one pass serves.
    private static let topicsMax = 500
    /// The time after which topics that the log did not make or delete are tried again.
    private static let pause = Duration.seconds(60)
    /// The time after which a deleted topic is looked for again: brokers delete it some time after the request.
    private static let deletionPause = Duration.seconds(1)

    let log: any EventLog
    let partition: TopicPartition
    private let poison: PoisonLedger?
    private let watch: PoisonWatch?
    private let committer: StateCommitter
    private let writer: any LogWriter
    private(set) var machine: PartitionTopics
    private var pass: Pass?
    /// Topics that the log did not make, until `nextAttempt`.
    private var refused: Set<Life> = []
    private var nextAttempt = Time.now
    private var nextDeletion = Time.now

    init(
        log: any EventLog, partition: TopicPartition, poison: PoisonLedger?, committer: StateCommitter,
        writer: any LogWriter, machine: PartitionTopics
    ) {
        self.log = log
        self.partition = partition
        self.poison = poison
        self.committer = committer
        self.writer = writer
        self.machine = machine
        watch = poison?.watch(.feeds, partition, incarnation: machine.position.incarnation)
    }

    func close() { pass?.follower.close() }

    /// Copies a batch to the topics of devices.
    mutating func copy(_ batch: LogBatch) async throws {
        var rest = batch.entries[...]
        repeat {
            try await committer.makeRoom()
            let step = try await written { [rest] in $0.apply(rest, next: batch.nextOffset, poison: $1) }
            guard let step else { continue }
            try await report(step)
            rest = rest.dropFirst(step.count)
        } while !rest.isEmpty
    }

    /// Indicates whether the partition has entries that were not read, as the log reports it; a hint.
    var hasNews: Bool {
        get async throws {
            let end = try await log.bounds(of: [partition])[partition]?.end ?? 0
            return end > machine.position.offset
        }
    }

    /// Indicates whether there is something to do when some time has passed, also without new entries.
    var hasLater: Bool { !refused.isEmpty || !machine.pendingTopics.isEmpty }

    // MARK: Entries from before

    /// Copies the next batch of earlier entries to the topics that wait for them.
    /// - Returns: false when none waits.
    mutating func copyEarlier() async throws -> Bool {
        if pass == nil { pass = try await begin() }
        pass?.lives.formIntersection(machine.waitingTopics)
        guard let current = pass else { return false }
        var next = current.next
        if next < machine.position.offset, !current.lives.isEmpty {
            let batch = try await current.follower.next()
            next = min(batch.nextOffset, machine.position.offset)
            var rest = batch.entries.filter { $0.offset < next }[...]
            while !rest.isEmpty {
                try await committer.makeRoom()
                // A topic that is gone leaves the pass, and the others get the entries again.
                let step = try await written { [rest, lives = pass?.lives ?? []] in
                    $0.copy(rest, to: lives, poison: $1)
                }
                rest = rest.dropFirst(step?.count ?? 0)
            }
        }
        pass?.next = next
        // At once: the follower may have read on, and what it read is left to the new entries.
        if next >= machine.position.offset || pass?.lives.isEmpty == true { finish() }
        return true
    }

    private mutating func finish() {
        guard let ended = pass.take() else { return }
        ended.follower.close()
        note(machine.finish(ended.lives))
    }

    /// Begins with the topics that wait now, or the first of them; nil without any.
    private mutating func begin() async throws -> Pass? {
        if Time.now >= nextAttempt { refused = [] }
        var lives = Set(machine.waitingTopics.subtracting(refused).sorted().prefix(Self.topicsMax))
        guard !lives.isEmpty else { return nil }
        let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        let torn = machine.torn(lives, at: start)
        makeAgain(torn, deletingFirst: true, "entries that it lacks are not retained")
        lives.subtract(torn)
        // Made by the way, one that has lost its entries would look as if it had them.
        let written = lives.filter { machine.hasEntries($0) }
        let gone = try await missing(written)
        makeAgain(gone, deletingFirst: false, "it is gone")
        lives.subtract(try await make(lives.subtracting(written).union(gone)))
        guard !lives.isEmpty else { return nil }
        let next = max(start, machine.lowestOffset(of: lives))
        return Pass(lives: lives, next: next, follower: try await log.follow(partition, from: next))
    }

    // MARK: Topics

    /// Commits the noted state, or nothing: the partition is still ours. Otherwise the topic of a removed device would
    /// be made again, or that of a successor deleted.
    private func confirm() async throws {
        committer.note([:], offset: machine.position.offset, at: LogTimestamp(milliseconds: 0))
        try await committer.flush()
    }

    /// Makes topics that are not there.
    /// - Returns: those that the log does not make now.
    private mutating func make(_ lives: Set<Life>) async throws -> Set<Life> {
        guard !lives.isEmpty else { return [] }
        try await confirm()
        var failures: [TopicName: LogError] = [:]
        for (name, outcome) in try await log.createTopics(lives.sorted().map(specification)) {
            switch outcome {
            case .created: FeedTopics.made.increment()
            case .existed: break
            case .failed(let error): failures[name] = error
            }
        }
        guard !failures.isEmpty else { return [] }
        report(failures)
        nextAttempt = Time.now + Self.pause
        let failed = lives.filter { failures[name($0)] != nil }
        refused.formUnion(failed)
        return failed
    }

    /// Deletes topics of removed devices and users, and those that are made again. What the log does not delete now stays
    /// in the state and is tried again.
    mutating func deleteTopics() async throws {
        guard Time.now >= nextDeletion else { return }
        let pending = machine.pendingTopics.sorted().prefix(Self.topicsMax)
        guard !pending.isEmpty else { return }
        try await confirm()
        let failures = try await log.deleteTopics(pending.map(name))
        report(failures)
        let deleted = Set(pending.filter { failures[name($0)] == nil })
        let gone = try await missing(deleted)
        if gone.count < pending.count {
            nextDeletion = Time.now + (failures.isEmpty ? Self.deletionPause : Self.pause)
        }
        note(machine.deleted(gone))
    }

    /// Has topics made and filled from the first retained entry on.
    private mutating func makeAgain(_ lives: Set<Life>, deletingFirst: Bool, _ reason: String) {
        guard !lives.isEmpty else { return }
        FeedTopics.madeAgain.increment(by: lives.count)
        for life in lives.sorted() {
            Log.error(
                "feeds.topic.again", ["partition": "\(partition)", "topic": "\(name(life))", "reason": "\(reason)"])
        }
        pass?.lives.subtract(lives)
        note(machine.makeAgain(lives, deletingFirst: deletingFirst))
    }

    /// The topics among some that the log does not have.
    private func missing(_ lives: Set<Life>) async throws -> Set<Life> {
        var missing: Set<Life> = []
        var rest = lives.sorted()[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.topicsMax)
            rest = rest.dropFirst(Self.topicsMax)
            let found = try await log.describeTopics(part.map(name))
            missing.formUnion(part.filter { found[name($0)] == nil })
        }
        return missing
    }

    private func report(_ failures: [TopicName: LogError]) {
        FeedTopics.refused.increment(by: failures.count)
        for (topic, error) in failures {
            Log.warning("feeds.topic.refused", ["partition": "\(partition)", "topic": "\(topic)", "error": "\(error)"])
        }
    }

    private func specification(_ life: Life) -> TopicSpecification {
        machine.layout.feedSpecification(life.device, life.epoch)
    }

    private func name(_ life: Life) -> TopicName { machine.layout.feed(life.device, life.epoch) }

    // MARK: Writing

    /// Writes the outputs of a step and notes its state.
    /// - Returns: nil if topics were gone: the step is undone then, and they are made again.
    private mutating func written(
        _ make: (inout PartitionTopics, PoisonWatch?) -> PartitionTopics.Step
    ) async throws -> PartitionTopics.Step? {
        for _ in 0..<Self.attemptsMax {
            let step = make(&machine, watch)
            do {
                if !step.outputs.isEmpty { try await writer.append(step.outputs) }
            } catch LogError.unknownTopic {
                machine.undo(step)
                let gone = try await gone(step)
                guard !gone.isEmpty else { continue }
                makeAgain(gone, deletingFirst: false, "it is gone")
                return nil
            } catch LogError.writeFailed(let reason) {
                // A topic that is deleted after the writer has met it ends the writer.
                machine.undo(step)
                makeAgain(try await gone(step), deletingFirst: false, "it is gone")
                try await committer.flush()
                throw LogError.writeFailed(reason)
            }
            FeedTopics.entries.increment(by: step.outputs.count)
            note(step)
            return step
        }
        throw LogError.unavailable("a topic of a device comes and goes in \(partition)")
    }

    /// The topics of a step's outputs that the log does not have.
    private func gone(_ step: PartitionTopics.Step) async throws -> Set<Life> {
        let names = Set(step.outputs.map(\.partition.topic))
        return try await missing(machine.allTopics.filter { names.contains(name($0)) })
    }

    private func note(_ step: PartitionTopics.Step) {
        committer.note(step.changes, offset: machine.position.offset, at: step.time)
    }

    private func report(_ step: PartitionTopics.Step) async throws {
        FeedTopics.malformed.increment(by: step.malformed.count)
        for (offset, reason) in step.malformed {
            Log.error("feeds.malformed", ["partition": "\(partition)", "offset": offset, "error": reason])
            let place = PoisonPlace(
                stage: .feeds, topic: machine.layout.shortName(partition.topic),
                incarnation: machine.position.incarnation, partition: partition.partition, offset: offset)
            try await poison?.noteUnreadable(place, reason)
        }
    }
}
