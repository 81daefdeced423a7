import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Runs stage 2 over a schedule: batches of any size, and a new instance from the committed state at any commit.
struct BackfillMachine {
    let log: [LogEntry]
    var random: SeededGenerator
    var state: [[UInt8]: [UInt8]] = [:]
    var offset = 0
    /// The commands, without repeats.
    var delivered: Set<Int64> = []
    /// The journal as a reader has it that drops what does not advance.
    var journal: [FeedEntry] = []
    private let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)

    init(_ log: [LogEntry], _ random: SeededGenerator, state: [[UInt8]: [UInt8]] = [:]) {
        self.log = log
        self.random = random
        self.state = state
    }

    mutating func run() throws {
        var machine = try instance()
        while offset < log.count || machine.dueRelease != nil {
            let step: PartitionDelivery.Step
            var next = offset
            if let due = machine.dueRelease {
                let end = min(log.count, Int(due.next) + Int.random(in: 1...5, using: &random))
                step = try machine.release(
                    due, in: Array(log[Int(due.next)..<end]), next: Int64(end), committed: Int64(offset))
            } else {
                let end = min(log.count, offset + Int.random(in: 1...7, using: &random))
                step = machine.apply(Array(log[offset..<end]))
                next += step.count
            }
            #expect(step.malformed.isEmpty)
            for entry in step.outputs.journals { try take(entry) }
            for entry in step.outputs.commands {
                guard case .backfillsDelivered(let command)? = try Command(decoding: entry.value!).command else {
                    continue
                }
                delivered.formUnion(command.created)
            }
            // Written, and not committed: the next one does it again.
            if Int.random(in: 0..<4, using: &random) == 0 {
                machine = try instance()
                continue
            }
            for (key, value) in step.changes { state[key] = value }
            offset = next
            if Int.random(in: 0..<4, using: &random) == 0 { machine = try instance() }
        }
    }

    private func instance() throws -> PartitionDelivery {
        try PartitionDelivery(layout: History.layout, source: source, state: state)
    }

    private mutating func take(_ outgoing: OutgoingEntry) throws {
        let entry = try FeedEntry(decoding: outgoing.value!)
        if let last = journal.last {
            guard entry.source!.position.isAbove(last.source!.position) else { return }
            #expect(entry.predecessor?.position == last.source!.position)
        }
        journal.append(entry)
    }
}
