import CloudMessages
import CloudModel
import EventLog
import TestSupport
import Testing

@testable import NotificationDelivery

/// Stage 2 as `models/stage2.pml` has it: instances that overlap, each beginning at the committed state; the latest
/// alone commits, after all it wrote is acknowledged; what others have under way arrives later, in order, or its rest
/// is lost.
struct Simulation {
    private struct Instance {
        var machine: PartitionDelivery
        var next: Int
        /// Entries in flight, in the order of each topic; the groups follow one another: a device that is pushed to
        /// reads its feed.
        var groups: [[TopicName: [OutgoingEntry]]] = []
        /// The state to commit once all is acknowledged.
        var changes: [[UInt8]: [UInt8]?]?
        var isDead = false

        var isQuiet: Bool { groups.isEmpty }
    }

    private let log: [LogEntry]
    private let source: SourceID
    private var random: SeededGenerator
    private var instances: [Instance] = []
    private var committedState: [[UInt8]: [UInt8]] = [:]
    private var committedOffset = 0
    private(set) var topics = Topics()

    init(log: [LogEntry], random: SeededGenerator) {
        self.log = log
        self.random = random
        source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
    }

    /// The state as it is committed in the end.
    var state: [[UInt8]: [UInt8]] { committedState }

    /// Runs to the end, with some restarts on the way.
    mutating func run(restarts: Int) throws {
        var restarts = restarts
        try start()
        while committedOffset < log.count || !instances.last!.isQuiet {
            if instances.last!.isDead || (restarts > 0 && Int.random(in: 0..<25, using: &random) == 0) {
                restarts -= 1
                try start()
            }
            try step(Int.random(in: 0..<instances.count, using: &random))
        }
        // What the others still have under way arrives, or does not.
        for index in instances.indices { for _ in 0..<20 where index < instances.count - 1 { try deliver(index) } }
    }

    private mutating func start() throws {
        let machine = try PartitionDelivery(layout: History.layout, source: source, state: committedState)
        instances.append(Instance(machine: machine, next: committedOffset))
        if instances.count > 4 { instances.removeFirst() }
    }

    private mutating func step(_ index: Int) throws {
        let isLatest = index == instances.count - 1
        guard !instances[index].isDead else { return }
        guard !instances[index].isQuiet else {
            if let changes = instances[index].changes.take() { commit(changes, index) } else { apply(index) }
            return
        }
        if !isLatest, Int.random(in: 0..<30, using: &random) == 0 {
            // The connection breaks: entries that have not arrived are lost, and so is everything after them.
            instances[index].groups = []
            instances[index].changes = nil
            instances[index].isDead = true
            return
        }
        try deliver(index)
    }

    private mutating func apply(_ index: Int) {
        let first = instances[index].next
        let last = min(log.count, first + Int.random(in: 1...6, using: &random))
        guard first < last else { return }
        let step = instances[index].machine.apply(Array(log[first..<last]))
        #expect(step.malformed.isEmpty)
        instances[index].next = last
        func byTopic(_ entries: [OutgoingEntry]) -> [TopicName: [OutgoingEntry]] {
            Dictionary(grouping: entries) { $0.partition.topic }
        }
        let outputs = step.outputs
        instances[index].groups = [byTopic(outputs.journals + outputs.commands), byTopic(outputs.pushes)]
            .filter { !$0.isEmpty }
        instances[index].changes = step.changes
    }

    private mutating func commit(_ changes: [[UInt8]: [UInt8]?], _ index: Int) {
        guard index == instances.count - 1 else {
            // It is shut out, which it may not learn before its next commit.
            if Bool.random(using: &random) { instances[index].isDead = true }
            return
        }
        for (key, value) in changes { committedState[key] = value }
        committedOffset = instances[index].next
        for value in committedState.values { #expect(value.count <= Limits.userStateBytesMax) }
        if Int.random(in: 0..<4, using: &random) == 0 { instances[index].isDead = true }
    }

    /// One entry arrives; those of one topic in their order.
    private mutating func deliver(_ index: Int) throws {
        guard let group = instances[index].groups.first,
            let topic = group.keys.sorted().randomElement(using: &random)
        else { return }
        let entry = instances[index].groups[0][topic]!.removeFirst()
        if instances[index].groups[0][topic]!.isEmpty { instances[index].groups[0][topic] = nil }
        if instances[index].groups[0].isEmpty { instances[index].groups.removeFirst() }
        try topics.append(entry)
    }
}
