import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import TestSupport
import Testing

@testable import Push

/// The follower over a log: each courier is handed what is for its devices.
@Suite struct PushFollowerTests {
    @Test("each kind of courier is handed the pushes of its devices, in order and once, over failures of the log")
    func kinds() async throws {
        try await within(.seconds(60)) {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Pushed.layout.fixedTopics)
            let writer = try await memory.makeWriter()
            // What was there before is not pushed again.
            try await writer.append([Pushed.outgoing(Pushed.entry(1, at: 1, [Pushed.target("early")]))])
            let couriers = [KeepingCourier("web"), KeepingCourier("apns")]
            let follower = PushFollower(log: memory, layout: Pushed.layout, couriers: couriers)
            let task = Task { await follower.run() }
            // A follower that has begun hands over what comes: asked again until then.
            var offset: Int64 = 2
            while couriers[0].pushes.isEmpty {
                try await writer.append([Pushed.outgoing(Pushed.entry(0, at: offset, [Pushed.target("first")]))])
                offset += 1
                await Task.yield()
            }
            let targets = [Pushed.target("phone", "apns"), Pushed.target("browser"), Pushed.target("other", "else")]
            let entries = (0..<20).map { Pushed.entry(100 + $0, at: offset + $0, targets) }
            try await writer.append(entries.prefix(12).map(Pushed.outgoing))
            // A writer that began again repeats the last ones.
            try await writer.append(entries.dropFirst(6).map(Pushed.outgoing))
            try await eventually("the last push") { couriers[1].pushes.count >= 20 }
            let changes = couriers.map { courier in
                courier.pushes.filter { $0.device.rawValue != "first" }.map(\.notification.subject.change.rawValue)
            }
            #expect(changes[1] == Array(100..<120))
            try await eventually("the web courier's") {
                couriers[0].pushes.count { $0.device.rawValue == "browser" } == 20
            }
            #expect(couriers[0].pushes.allSatisfy { ["first", "browser"].contains($0.device.rawValue) })
            #expect(couriers[1].pushes.allSatisfy { $0.device.rawValue == "phone" })
            task.cancel()
            await task.value
            await writer.close()
            await memory.close()
        }
    }
}
