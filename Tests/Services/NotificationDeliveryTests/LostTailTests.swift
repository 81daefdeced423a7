import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Stage 2 on a partition of `deliveries` that lost its last entries under the same topic.
@Suite struct LostTailTests {
    @Test(
        "hits that come after a loss are delivered once, however many there are when the stage reads on",
        arguments: [(4, 2), (4, 4), (4, 5), (8, 12), (3, 0)])
    func lost(_ lost: Int, _ later: Int) async throws {
        try await within {
            let bench = try await Bench()
            var stage = bench.start()
            for change in 1...10 { try await bench.hit(Int64(change), of: bench.alice) }
            try await bench.untilCommitted(10)
            stage.cancel()
            await stage.value

            try await bench.memory.loseTail(of: TopicPartition(bench.layout.deliveries), lost)
            // Stage 1 writes some of the lost ones again, and new ones.
            let again = max(0, later - 2)
            for change in (11 - again)..<(11 - again + later) { try await bench.hit(Int64(change), of: bench.alice) }
            stage = bench.start()
            let last = 10 + later - again
            try await eventually("the later notifications") {
                try await bench.contents(of: bench.alice).count >= max(10, last)
            }
            try await bench.untilCommitted(Int64(10 - lost + later))
            stage.cancel()
            await stage.value
            #expect(try await bench.contents(of: bench.alice) == (1...max(10, last)).map { "\($0)" })
            let names = try await bench.journal(of: bench.alice).map { $0.source!.position }
            var seen = LogPosition(offset: 0)
            #expect(names.allSatisfy { seen.advance(to: $0) }, "a reader drops no notification as a repeat")
        }
    }

    @Test("a stage that runs while entries are lost goes on before them, under names of its own")
    func lostWhileItRuns() async throws {
        try await within {
            let bench = try await Bench()
            let stage = bench.start()
            for change in 1...5 { try await bench.hit(Int64(change), of: bench.alice) }
            try await bench.untilCommitted(5)
            try await bench.memory.loseTail(of: TopicPartition(bench.layout.deliveries), 3)
            try await bench.untilCommitted(2)
            for change in 3...7 { try await bench.hit(Int64(change), of: bench.alice) }
            try await bench.untilCommitted(7)
            stage.cancel()
            await stage.value
            #expect(try await bench.contents(of: bench.alice) == (1...7).map { "\($0)" })
        }
    }
}
