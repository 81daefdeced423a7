import CloudMessages
import CloudModel
import EventLog
import JSON
import MemoryLog
import ProtocolBuffers
import RecordStore
import Stages
import Telemetry
import TestSupport
import Testing

@testable import Console

/// The progress of stages that run elsewhere, by the positions in the log.
@Suite struct LoggedStagesTests {
    /// A log to which the test writes what stages would.
    private struct World {
        let log = MemoryLog()
        let layout: TopicLayout

        init(partitions: Int32 = 2) async throws {
            layout = TopicLayout(
                ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
                partitions: partitions)
            _ = try await log.createTopics(layout.fixedTopics)
        }

        func append(_ partition: TopicPartition, _ value: [UInt8], at time: Int64) async throws {
            try await log.withWriter {
                try await $0.append([
                    OutgoingEntry(partition, key: [1], value: value, timestamp: LogTimestamp(milliseconds: time))
                ])
            }
        }

        /// A change that was committed and appended.
        func change(_ partition: TopicPartition, committed: Int64, at time: Int64) async throws {
            var event = ChangeEvent()
            event.committed = committed
            try await append(partition, event.encoded(), at: time)
        }

        func commit(_ partition: TopicPartition, _ offset: Int64, of group: GroupName) async throws {
            try await log.store([partition: LogPosition(offset: offset)], of: group)
        }

        func lines(own: [StageProgress.Status] = []) async -> LoggedStages.Answer {
            await LoggedStages(log, layout, now: { Timestamp(milliseconds: 4000) }).read(own: own)
        }

        func line(_ stage: StageProgress.Name, _ partition: TopicPartition) async throws -> StageLine {
            try #require(await lines().lines.first { $0.stage == stage && $0.partition == partition })
        }
    }

    @Test("where nothing was written every partition of stages 1 and 2 is idle, and no push sender is listed")
    func empty() async throws {
        let world = try await World()
        let answer = await world.lines()
        #expect(answer.obstacles.isEmpty)
        #expect(answer.lines.count(where: { $0.stage == .match }) == 6)
        #expect(answer.lines.count(where: { $0.stage == .deliver }) == 2 && answer.lines.count == 8)
        for line in answer.lines {
            let json = line.json(scope: "s")
            #expect(json["condition"] == "idle" && json["process"] == "elsewhere" && json["entriesBehind"] == 0)
            #expect(json["secondsBehind"] == .double(0) && json["waits"] == nil && json["cause"] == nil)
        }
    }

    @Test("a change that nobody has matched waits for stage 1, and before that it waited in the outbox")
    func stage1() async throws {
        let world = try await World()
        let partition = TopicPartition(world.layout.changes(.private), 1)
        for offset in 0..<3 as Range<Int64> {
            try await world.change(partition, committed: 1000 + offset, at: 1500 + offset)
        }
        try await world.commit(partition, 1, of: world.layout.matchingGroup)
        let line = try await world.line(.match, partition)
        #expect(line.next == 1 && line.end == 3 && line.entriesBehind == 2)
        #expect(line.waits == StageLine.Waits(outbox: 0.5, stage1: 2.499) && line.secondsBehind == 2.499)
        #expect(line.json(scope: "s")["cause"] == "stage1" && line.json(scope: "s")["condition"] == "working")
    }

    @Test("a delivery has waited in the outbox, for stage 1, and for stage 2; the longest wait is the cause")
    func stage2() async throws {
        let world = try await World()
        let (changes, deliveries) = (
            TopicPartition(world.layout.changes(.public), 0), TopicPartition(world.layout.deliveries, 1)
        )
        try await world.change(changes, committed: 1000, at: 3000)
        try await world.commit(changes, 1, of: world.layout.matchingGroup)
        let source = SourcePosition(
            source: SourceID(origin: "changes.public", incarnation: 1, partition: 0), offset: 0)
        var entry = DeliveryEntry()
        (entry.source, entry.time, entry.user) = (SourcePositionMessage(source), 1000, "_a")
        try await world.append(deliveries, entry.encoded(), at: 3250)
        let line = try await world.line(.deliver, deliveries)
        #expect(line.waits == StageLine.Waits(outbox: 2, stage1: 0.25, stage2: 0.75))
        #expect(line.json(scope: "s")["cause"] == "outbox", "the stage is behind, and the outbox was slow")
        #expect(try await world.line(.match, changes).entriesBehind == 0)
        // A device event comes of the store, past stage 1.
        entry.source = SourcePositionMessage(SourcePosition(source: .store(7), offset: 3))
        try await world.append(deliveries, entry.encoded(), at: 3500)
        try await world.commit(deliveries, 1, of: world.layout.deliveryGroup)
        #expect(try await world.line(.deliver, deliveries).waits == StageLine.Waits(outbox: 2.5, stage2: 0.5))
    }

    @Test("pushes are listed where a sender has begun; entries that cannot be read have their age alone")
    func pushesAndGarbage() async throws {
        let world = try await World()
        let pushes = TopicPartition(world.layout.pushes, 0)
        try await world.append(pushes, [255], at: 1000)
        try await world.append(pushes, [255], at: 2000)
        #expect(await world.lines().lines.contains { $0.stage == .push } == false)
        try await world.commit(pushes, 1, of: world.layout.pushGroup)
        #expect(try await world.line(.push, pushes).waits == StageLine.Waits(push: 2))
        let topics = [(world.layout.changes(.shared), StageProgress.Name.match), (world.layout.deliveries, .deliver)]
        for (topic, stage) in topics {
            let partition = TopicPartition(topic, 0)
            try await world.append(partition, [255, 255, 255], at: 5000)
            let line = try await world.line(stage, partition)
            #expect(line.secondsBehind == 0 && line.entriesBehind == 1, "a clock that is ahead is no age")
        }
    }

    @Test("committed offsets outside of what the log holds are moved into it")
    func bounds() async throws {
        let world = try await World()
        let partition = TopicPartition(world.layout.changes(.public), 0)
        for _ in 0..<4 { try await world.change(partition, committed: 1, at: 2) }
        try await world.log.truncate([partition: 2])
        try await world.commit(partition, 1, of: world.layout.matchingGroup)
        #expect(try await world.line(.match, partition).entriesBehind == 2)
        try await world.commit(partition, 99, of: world.layout.matchingGroup)
        #expect(try await world.line(.match, partition).entriesBehind == 0)
    }

    @Test("what this process runs is answered by itself, the rest by the log; other scopes are not listed")
    func own() async throws {
        let world = try await World()
        let partition = TopicPartition(world.layout.changes(.public), 0)
        let board = StageBoard()
        let progress = StageProgress(.match, scope: "\(world.layout.scope)", board: board)
        progress.advanced(partition, to: 7, time: nil)
        let other = StageProgress(.match, scope: "iCloud.other.development", board: board)
        other.started(partition)
        let lines = await world.lines(own: progress.statuses + other.statuses).lines
        let matching = lines.filter { $0.stage == .match }
        #expect(matching.count == 6)
        let json = matching.first { $0.partition == partition }?.json(scope: "s")
        #expect(json?["process"] == "here" && json?["next"] == 7 && json?["secondsBehind"] != nil)
    }

    @Test("of many late partitions those that are most behind have their waits read")
    func bounded() async throws {
        let world = try await World(partitions: Int32(Limits.stageWaitsMax) + 4)
        for number in 0..<world.layout.partitions {
            let partition = TopicPartition(world.layout.changes(.public), number)
            for _ in 0...number { try await world.change(partition, committed: 1000, at: 1500) }
        }
        let late = await world.lines().lines.filter { $0.entriesBehind > 0 }
        #expect(late.count == Limits.stageWaitsMax + 4)
        #expect(late.count { $0.waits != nil } == Limits.stageWaitsMax)
        #expect(late.allSatisfy { ($0.waits != nil) == ($0.partition.partition >= 4) })
        #expect(late.first { $0.waits == nil }?.json(scope: "s")["secondsBehind"] == nil)
    }

    @Test("a group that may not be read leaves its stage out, with the reason")
    func refused() async throws {
        let world = try await World()
        struct Refusing: ForwardingLog {
            let base: any EventLog
            let group: GroupName

            func committedOffsets(
                of group: GroupName, _ partitions: [TopicPartition]
            ) async throws -> [TopicPartition: Int64]? {
                guard group != self.group else { throw LogError.unknownTopic("refused") }
                return try await base.committedOffsets(of: group, partitions)
            }
        }
        let log = Refusing(base: world.log, group: world.layout.deliveryGroup)
        let answer = await LoggedStages(log, world.layout, now: { Timestamp(milliseconds: 1) }).read()
        #expect(answer.lines.count == 6 && answer.obstacles.count == 1)
        #expect(answer.obstacles.first?.hasPrefix("deliver: ") == true)
    }

    @Test("the lag of other processes is among the numbers that series are made of, until it is old")
    func lag() async throws {
        let world = try await World()
        let partition = TopicPartition(world.layout.changes(.public), 1)
        for _ in 0..<3 { try await world.change(partition, committed: 1000, at: 1500) }
        let lag = LoggedLag(own: { [] })
        lag.begin([LoggedStages(world.log, world.layout, now: { Timestamp(milliseconds: 4000) })])
        let time = ManualTime()
        @Sendable func values() -> [Double?] {
            var reading = MetricReading(families: ["fanfare_stage_lag_entries": []])
            lag.add(to: &reading)
            return ["fanfare_stage_lag_entries", "fanfare_stage_lag_seconds"].map { family in
                reading.numbers(family, where: ("stage", "match"))?.map(\.value).max()
            }
        }
        try await within {
            try await time.bound {
                #expect(values() == [nil, nil], "nothing was read yet")
                let reading = Task { await lag.run() }
                await time.pauses(atLeast: 1)
                #expect(values() == [3, 2.5])
                try await world.commit(partition, 2, of: world.layout.matchingGroup)
                time.advance(by: .seconds(10))
                await time.pauses(atLeast: 2)
                #expect(values() == [1, 2.5])
                reading.cancel()
                await reading.value
                time.advance(by: .seconds(31))
                #expect(values() == [nil, nil])
            }
        }
    }

    @Test("the route answers stages of a running system by the log, and the outbox")
    func route() async throws {
        try await ConsoleBench.run { bench in
            let stages = try await bench.ask("stages")
            #expect(stages.json["outbox"]?["rows"] == 0 && stages.json["obstacles"] == nil, "\(stages.text)")
            #expect(stages.json["stages"]?.array?.count == 8)
            #expect(stages.json["stages"]?[0]?["process"] == "elsewhere")
            #expect(try await bench.ask("overview").json["stages"]?.array?.count == 8)
        }
    }
}
