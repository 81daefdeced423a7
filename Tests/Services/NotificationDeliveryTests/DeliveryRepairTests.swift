import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import NotificationDelivery

/// What a repair reads of delivery: its state, and the waiting entries of `deliveries`.
@Suite struct DeliveryRepairTests {
    private func found(_ bench: Bench) async throws -> (devices: Set<String>, pasts: Set<Int64>) {
        let found = try await DeliveryRepair(log: bench.memory, layout: bench.layout).find()
        return (
            Set(found.devices.map { "\($0.user == bench.alice ? "alice" : "bob") \($0.device) \($0.epoch.rawValue)" }),
            Set(found.pasts.map(\.created.rawValue))
        )
    }

    @Test("devices and pasts are those of the state with what delivery has not read yet")
    func waiting() async throws {
        let bench = try await Bench()
        let stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.register("watch", 2, of: bench.alice)
        try await bench.beginPast(3, of: bench.alice)
        try await bench.untilCommitted(3)
        stage.cancel()
        await stage.value
        #expect(try await found(bench) == (["alice phone 1", "alice watch 2"], [3]))

        try await bench.unregister("phone", 1, of: bench.alice, at: 4)
        try await bench.register("watch", 5, of: bench.alice)
        try await bench.register("tablet", 6, of: bench.bob)
        try await bench.beginPast(7, of: bench.bob)
        #expect(try await found(bench) == (["alice watch 5", "bob tablet 6"], [3, 7]))
    }

    @Test("nothing is read behind an offset of a topic that was recreated since")
    func recreated() async throws {
        let bench = try await Bench()
        let stage = bench.start()
        try await bench.register("phone", 1, of: bench.alice)
        try await bench.untilCommitted(1)
        stage.cancel()
        await stage.value
        _ = try await bench.memory.deleteTopics([bench.layout.deliveries])
        _ = try await bench.memory.createTopics(bench.layout.fixedTopics)
        try await bench.register("watch", 2, of: bench.alice)
        #expect(try await found(bench).devices == ["alice phone 1"])
    }
}
