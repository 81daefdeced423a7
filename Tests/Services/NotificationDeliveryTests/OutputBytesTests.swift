import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import NotificationDelivery

/// What a step holds is bounded by the bytes that it writes, not by those that it reads.
@Suite struct OutputBytesTests {
    private static let devices = 50
    /// The bytes that one entry of `deliveries` makes for all devices together.
    private static let entryBytes = devices * 3000

    /// Hits of a change that shows a text: what they make for many devices is far more than they have themselves.
    private static func text(_ change: Int64) -> DeliveryEntry.Event {
        .hits(
            HitsMessage(
                change: change, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                origin: OriginMessage(user: History.users[1].rawValue),
                hits: [
                    Hit(database: 1, subscription: "s", created: 1, alertBody: String(repeating: "x", count: 3000))
                ]))
    }

    private static func registered(_ device: Int) -> DeliveryEntry.Event {
        .registered(DeviceRegistered(device: "phone\(device)", epoch: 1, name: "", platform: ""))
    }

    private static func entries(_ events: [DeliveryEntry.Event], from first: Int64 = 1) -> [LogEntry] {
        events.enumerated().map { place, event in
            let offset = first + Int64(place)
            let source = SourcePosition(source: .store(7), offset: offset)
            // A second apart, so that no rate leaves anything out.
            return History.entry(
                DeliveryEntry(
                    source: SourcePositionMessage(source), user: History.users[0].rawValue, time: offset * 1000,
                    event: event),
                at: offset)
        }
    }

    private static func machine() throws -> PartitionDelivery {
        let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
        var machine = try PartitionDelivery(layout: History.layout, source: source, state: [:])
        _ = machine.apply(entries((0..<devices).map(registered)))
        return machine
    }

    @Test("a step ends at the bytes of its outputs, and the steps together write what one would")
    func steps() throws {
        let entries = Self.entries((1...40).map { Self.text($0) }, from: 1000)
        var (whole, cut) = (try Self.machine(), try Self.machine())
        var expected: [OutgoingEntry] = []
        for entry in entries {
            let step = whole.apply([entry])
            expected += step.outputs.journals + step.outputs.feeds
        }
        var found: [OutgoingEntry] = []
        var rest = entries[...]
        while !rest.isEmpty {
            let step = cut.apply(rest)
            #expect(step.count > 0)
            #expect(step.outputs.heldBytes < DeliveryPlan.outputBytesMax + 2 * Self.entryBytes)
            if step.count < rest.count { #expect(step.outputs.heldBytes >= DeliveryPlan.outputBytesMax) }
            found += step.outputs.journals + step.outputs.feeds
            rest = rest.dropFirst(step.count)
        }
        #expect(expected.count == entries.count * (1 + Self.devices))
        let byTopic = { (entries: [OutgoingEntry]) in Dictionary(grouping: entries, by: \.partition) }
        #expect(byTopic(found).mapValues { $0.map(\.value) } == byTopic(expected).mapValues { $0.map(\.value) })
    }

    @Test("an entry that is larger than the bound by itself is a step of its own")
    func oneLarge() throws {
        let changes = (1...(DeliveryPlan.outputBytesMax / (Limits.rowBytes * Self.devices) + 10)).map(Int64.init)
        let marks = DeliveryEntry.Event.read(NotificationsRead(device: "other", changes: changes))
        let entries = Self.entries([marks, Self.text(5000), Self.text(5001)], from: 1000)
        var machine = try Self.machine()
        let first = machine.apply(entries)
        #expect(first.count == 1)
        #expect(first.outputs.heldBytes > DeliveryPlan.outputBytesMax)
        #expect(machine.apply(entries.dropFirst()).count == 2)
    }

    @Test("the stage writes large outputs in parts, those of hits that waited for a backfill, too")
    func stage() async throws {
        try await within {
            let bench = try await Bench()
            for device in 1...Self.devices {
                try await bench.register("phone\(device)", Int64(device), of: bench.alice)
            }
            try await bench.beginPast(1000, of: bench.alice)
            let text = String(repeating: "x", count: 3000)
            for change in Int64(1001)...1030 {
                try await bench.hit(change, of: bench.alice, created: 1000, text: text)
            }
            try await bench.endPast(1000, of: bench.alice)
            for change in Int64(1031)...1060 {
                try await bench.hit(change, of: bench.alice, created: 1000, text: text)
            }
            let largest = Mutex((bytes: 0, count: 0))
            let log = InterceptedLog(
                bench.memory,
                appending: { entries in
                    let bytes = entries.reduce(0) { $0 + $1.byteCount + Limits.rowBytes }
                    largest.withLock { $0 = (max($0.bytes, bytes), $0.count + 1) }
                })
            let stage = bench.start(on: log)
            try await bench.untilCommitted(Int64(Self.devices) + 62)
            stage.cancel()
            await stage.value
            let (bytes, _) = largest.withLock { $0 }
            #expect(bytes < DeliveryPlan.outputBytesMax + 2 * Self.entryBytes)
            #expect(bytes >= DeliveryPlan.outputBytesMax, "a bound that nothing reaches shows nothing")
            let changes = (1001...1060).map { "\($0)" }
            for device in [1, Self.devices] {
                let feed = try await bench.contents(bench.topic("phone\(device)", Int64(device)))
                #expect(feed.map { Array($0.dropFirst()) } == changes)
            }
        }
    }
}
