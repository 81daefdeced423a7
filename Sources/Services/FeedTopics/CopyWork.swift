import CloudMessages
import EventLog
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
    /// Topics that are made or deleted in one request.
    private static let topicsMax = 500
    /// The time after which topics that the log did not make or delete are tried again.
    private static let pause = Duration.seconds(60)
    /// Attempts to make a topic that was deleted, and the pause between them: brokers delete it some time after the
    /// request.
    private static let remakesMax = 300
    private static let remakePause = Duration.milliseconds(100)

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
            let end = try await log.bounds(of: [partition], notOlderThan: .milliseconds(100))[partition]?.end ?? 0
            return end > machine.position.offset
        }
    }

    // MARK: Entries from before

    /// Copies the next batch of earlier entries to the topics that wait for them.
    /// - Returns: false when none waits.
    mutating func copyEarlier() async throws -> Bool {
        if pass == nil { pass = try await begin() }
        guard let current = pass else { return false }
        var next = current.next
        if next < machine.position.offset {
            let batch = try await current.follower.next()
            next = min(batch.nextOffset, machine.position.offset)
            var rest = batch.entries.filter { $0.offset < next }[...]
            while !rest.isEmpty {
                try await committer.makeRoom()
                // A topic that is gone leaves the pass, and the others get the entries again.
                let step = try await written { [rest, lives = pass?.lives ?? []] machine, _ in
                    machine.copy(rest, to: lives)
                }
                rest = rest.dropFirst(step?.count ?? 0)
            }
        }
        pass?.next = next
        // At once: the follower may have read on, and what it read is left to the new entries.
        if next == machine.position.offset || pass?.lives.isEmpty == true { finish() }
        return true
    }

    private mutating func finish() {
        guard let ended = pass.take() else { return }
        ended.follower.close()
        note(machine.finish(ended.lives))
    }

    /// Begins with the topics that wait now; nil without any.
    private mutating func begin() async throws -> Pass? {
        if Time.now >= nextAttempt { refused = [] }
        var lives = machine.waitingTopics.subtracting(refused)
        guard !lives.isEmpty else { return nil }
        let start = try await log.bounds(of: [partition])[partition]?.start ?? 0
        let torn = machine.torn(lives, at: start)
        if !torn.isEmpty {
            try await makeAgain(torn)
            lives.subtract(torn)
        }
        try await make(&lives)
        guard !lives.isEmpty else { return nil }
        let next = max(start, machine.lowestOffset(of: lives))
        return Pass(lives: lives, next: next, follower: try await log.follow(partition, from: next))
    }

    // MARK: Topics

    /// Makes topics that are not there, after the commit that proves that the partition is still ours: or the topic of a
    /// removed device would be made again.
    /// - Parameter lives: the topics; those that the log does not make, and those that have lost entries, are taken away.
    private mutating func make(_ lives: inout Set<Life>) async throws {
        try await committer.flush()
        // Made by the way, one that has lost its entries would look as if it had them.
        let written = lives.filter { machine.hasEntries($0) }
        let gone = try await missing(written)
        if !gone.isEmpty {
            lives.subtract(gone)
            try await makeAgain(gone)
        }
        for part in Self.parts(lives.subtracting(written)) {
            let outcomes = try await log.createTopics(part.map(specification))
            for life in part {
                switch outcomes[name(life)] {
                case .failed(let error)?:
                    guard PartitionProgress.isLasting(error) else { throw error }
                    lives.remove(life)
                    refuse([name(life): error])
                    refused.insert(life)
                    nextAttempt = Time.now + Self.pause
                case .created?: FeedTopics.made.increment()
                default: break
                }
            }
        }
    }

    /// Deletes the topics of removed devices and users, and makes those again that devices have, after the commit of the
    /// state that says so. What the log does not delete now stays in the state and is tried again.
    mutating func deleteTopics() async throws {
        guard Time.now >= nextDeletion else { return }
        let pending = machine.pendingTopics
        guard !pending.isEmpty else { return }
        try await committer.flush()
        for part in Self.parts(pending.keys) {
            let failures = try await log.deleteTopics(part.map(name))
            if !failures.isEmpty {
                nextDeletion = Time.now + Self.pause
                refuse(failures)
            }
            var gone = part.filter { failures[name($0)] == nil }
            let again = gone.filter { pending[$0] == true }
            let late = try await remake(again)
            gone.removeAll { late.contains($0) }
            note(machine.deleted(gone))
        }
    }

    /// Makes deleted topics, once brokers have let go of those before.
    /// - Returns: those that the log does not make.
    private mutating func remake(_ lives: [Life]) async throws -> Set<Life> {
        var missing = Set(lives)
        var attempts = 0
        while !missing.isEmpty {
            for (name, outcome) in try await log.createTopics(missing.sorted().map(specification)) {
                switch outcome {
                case .created: missing = missing.filter { self.name($0) != name }
                case .existed: break
                case .failed(let error):
                    guard PartitionProgress.isLasting(error) else { throw error }
                    nextDeletion = Time.now + Self.pause
                    refuse([name: error])
                    return missing
                }
            }
            guard !missing.isEmpty else { break }
            attempts += 1
            guard attempts < Self.remakesMax else {
                throw LogError.unavailable("the topic '\(name(missing.min()!))' is there still after it was deleted")
            }
            try await Time.sleep(for: Self.remakePause)
        }
        FeedTopics.madeAgain.increment(by: lives.count)
        return []
    }

    /// The topics among some that the log does not have.
    private func missing(_ lives: Set<Life>) async throws -> Set<Life> {
        guard !lives.isEmpty else { return [] }
        let found = try await log.describeTopics(lives.map(name).sorted())
        return lives.filter { found[name($0)] == nil }
    }

    private func refuse(_ failures: [TopicName: LogError]) {
        FeedTopics.refused.increment(by: failures.count)
        for (topic, error) in failures {
            Log.warning("feeds.topic.refused", ["partition": "\(partition)", "topic": "\(topic)", "error": "\(error)"])
        }
    }

    private func specification(_ life: Life) -> TopicSpecification {
        machine.layout.feedSpecification(life.device, life.epoch)
    }

    private func name(_ life: Life) -> TopicName { machine.layout.feed(life.device, life.epoch) }

    private static func parts(_ lives: some Collection<Life>) -> [[Life]] {
        let sorted = lives.sorted()
        return stride(from: 0, to: sorted.count, by: topicsMax).map {
            Array(sorted[$0..<min($0 + topicsMax, sorted.count)])
        }
    }

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
                let names = Set(step.outputs.map(\.partition.topic))
                let gone = try await missing(machine.allTopics.filter { names.contains(name($0)) })
                guard !gone.isEmpty else { continue }
                try await makeAgain(gone)
                return nil
            }
            FeedTopics.entries.increment(by: step.outputs.count)
            note(step)
            return step
        }
        throw LogError.unavailable("a topic of a device comes and goes in \(partition)")
    }

    private mutating func makeAgain(_ lives: Set<Life>) async throws {
        for life in lives.sorted() {
            Log.error("feeds.topic.gone", ["partition": "\(partition)", "topic": "\(name(life))"])
        }
        pass?.lives.subtract(lives)
        note(machine.makeAgain(lives))
        try await deleteTopics()
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
