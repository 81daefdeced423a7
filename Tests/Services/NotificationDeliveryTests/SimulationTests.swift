import CloudMessages
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Stage 2 under repeats, restarts and zombies, held against an oracle that knows only the inputs.
@Suite struct SimulationTests {
    @Test(arguments: 1...120)
    func journalsAndFeedsMatchTheOracle(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let history = History(random: random, events: 90)
        let log = history.interleaved(&random)
        var simulation = Simulation(log: log, random: random)
        try simulation.run(restarts: 12)
        let oracle = try Oracle(log)
        simulation.topics.check(against: oracle, "seed \(seed)")
        checkState(simulation.state, oracle, "seed \(seed)")
    }

    /// The same input cut into other batches, each by a machine that begins with the stored state, gives the same bytes
    /// (docs/delivery.md, rule 1).
    @Test(arguments: 1...20)
    func batchSizesDoNotChangeTheOutput(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = History(random: random, events: 120).interleaved(&random)
        let single = try Self.written(log, in: Array(repeating: 1, count: log.count))
        let several = try Self.written(log, in: log.map { _ in Int.random(in: 1...40, using: &random) })
        #expect(single == several, "seed \(seed)")
        #expect(try Self.written(log, in: [log.count]) == single, "seed \(seed)")
    }

    private static func written(_ log: [LogEntry], in sizes: [Int]) throws -> [TopicPartition: [[UInt8]]] {
        let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
        var state: [[UInt8]: [UInt8]] = [:]
        var written: [OutgoingEntry] = []
        var rest = log[...]
        for size in sizes where !rest.isEmpty {
            var machine = try PartitionDelivery(layout: History.layout, source: source, state: state)
            let step = machine.apply(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            for (key, value) in step.changes { state[key] = value }
            written += step.outputs.journals + step.outputs.commands + step.outputs.pushes
        }
        return Dictionary(grouping: written) { $0.partition }.mapValues { $0.map { $0.value! } }
    }

    /// What requests are served from: badges and how far device events are through.
    private func checkState(_ state: [[UInt8]: [UInt8]], _ oracle: Oracle, _ context: String) {
        var badges: [String: Int64] = [:]
        for (key, value) in state where key != PartitionDelivery.positionsKey {
            guard let user = try? UserState(decoding: value) else {
                Issue.record("\(context): unreadable state")
                continue
            }
            for device in user.devices { badges["\(device.device).\(device.epoch)"] = device.badge }
        }
        #expect(badges == oracle.badges, "\(context) badges")
    }
}
