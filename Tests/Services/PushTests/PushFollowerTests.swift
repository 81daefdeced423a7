import CloudMessages
import CloudModel
import Cryptography
import EventLog
import MemoryLog
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The follower over a log: each courier gets the pushes of its devices.
@Suite struct PushFollowerTests {
    @Test("each kind of courier is handed the pushes of its devices, in order and once, over failures of the log")
    func kinds() async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Pushed.layout.fixedTopics)
            let writer = try await memory.makeWriter()
            // Earlier entries are not pushed again.
            try await writer.append([Pushed.outgoing(Pushed.entry(1, at: 1, [Pushed.target("early")]))])
            let couriers = [KeepingCourier("web"), KeepingCourier("apns")]
            let follower = PushFollower(log: memory, layout: Pushed.layout, couriers: couriers)
            let task = Task { await follower.run() }
            // A started follower passes entries on: wait until then.
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

    @Test("entries that are for push senders alone are passed by, and couriers get nothing for them")
    func marks() async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Pushed.layout.fixedTopics)
            let courier = KeepingCourier("web")
            let task = Task { await PushFollower(log: memory, layout: Pushed.layout, couriers: [courier]).run() }
            let writer = try await memory.makeWriter()
            var offset: Int64 = 1
            // Asked again until the follower has begun.
            while courier.pushes.isEmpty {
                var mark = Pushed.entry(1, at: offset, [Pushed.target("phone", badge: 3)])
                (mark.notification, mark.hints) = (nil, [FeedHint()])
                let push = Pushed.entry(2, at: offset + 1, [Pushed.target("phone")])
                try await writer.append([mark, push].map(Pushed.outgoing))
                offset += 2
                await Task.yield()
            }
            #expect(courier.pushes.allSatisfy { $0.notification.subject.change.rawValue == 2 })
            task.cancel()
            await task.value
            await writer.close()
            await memory.close()
        }
    }

    @Test("a request that waits since before the start of the follower finds earlier pushes")
    func beginning() async throws {
        try await within {
            let memory = MemoryLog()
            _ = try await memory.createTopics(Pushed.layout.fixedTopics)
            let courier = WebCourier(KeyRing.generate(), scope: Pushed.layout.scope)
            let address = CourierAddress(
                user: Pushed.user, device: DeviceID(trusted: "browser"), epoch: DeviceEpoch(3),
                expires: Timestamp(milliseconds: .max))
            let feed = Mutex<(looks: Int, isWritten: Bool)>((0, false))
            async let found = courier.next(at: address, until: .now + .seconds(600)) {
                feed.withLock { feed in
                    feed.looks += 1
                    return feed.isWritten ? "payload" : nil
                }
            }
            try await eventually("the first look") { feed.withLock { $0.looks } == 1 }
            let writer = try await memory.makeWriter()
            try await writer.append([Pushed.outgoing(Pushed.entry(1, at: 1, [Pushed.target("browser")]))])
            feed.withLock { $0.isWritten = true }
            // It begins behind that push.
            let task = Task { await PushFollower(log: memory, layout: Pushed.layout, couriers: [courier]).run() }
            #expect(try await found == "payload")
            task.cancel()
            await task.value
            await writer.close()
            await memory.close()
        }
    }
}
