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
    private static let subscriptions = 50
    /// The bytes that one entry of `deliveries` makes in the journal.
    private static let entryBytes = subscriptions * 3000

    /// Hits of a change that show the same text: what they make is far more than they have together.
    private static func text(_ change: Int64) -> DeliveryEntry.Event {
        let text = String(repeating: "x", count: 3000)
        return .compact(
            HitsMessage(
                change: change, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(.publicDefault),
                origin: OriginMessage(user: History.users[1].rawValue),
                hits: (0..<subscriptions).map {
                    Hit(database: 1, subscription: "s\($0)", created: 1, alertBody: text)
                }))
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
        return try PartitionDelivery(layout: History.layout, source: source, state: [:])
    }

    @Test("a step ends at the bytes of its outputs, and the steps together write what one would")
    func steps() throws {
        let entries = Self.entries((1...40).map { Self.text($0) }, from: 1000)
        var (whole, cut) = (try Self.machine(), try Self.machine())
        var expected: [OutgoingEntry] = []
        for entry in entries {
            let step = whole.apply([entry])
            expected += step.outputs.journals
        }
        var found: [OutgoingEntry] = []
        var rest = entries[...]
        while !rest.isEmpty {
            let step = cut.apply(rest)
            #expect(step.count > 0)
            #expect(step.outputs.heldBytes < DeliveryPlan.outputBytesMax + 2 * Self.entryBytes)
            if step.count < rest.count { #expect(step.outputs.heldBytes >= DeliveryPlan.outputBytesMax) }
            found += step.outputs.journals
            rest = rest.dropFirst(step.count)
        }
        #expect(expected.count == entries.count * Self.subscriptions)
        #expect(found.map(\.value) == expected.map(\.value))
    }

    @Test("an entry that is larger than the bound by itself is a step of its own")
    func oneLarge() throws {
        let changes = (1...(DeliveryPlan.outputBytesMax / Limits.rowBytes + 10)).map(Int64.init)
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
            try await bench.register("phone", 1, of: bench.alice)
            try await bench.beginPast(1000, of: bench.alice)
            // No more than the user's rate lets through at once, and later ones a second apart.
            let text = String(repeating: "x", count: 1200)
            let held = Array(Int64(1001)...1030)
            let later = (1...30).map { Int64(1_000_000 + 1000 * $0) }
            for change in held {
                try await bench.hit(change, of: bench.alice, created: 1000, text: text, count: Self.subscriptions)
            }
            try await bench.endPast(1000, of: bench.alice)
            for change in later {
                try await bench.hit(change, of: bench.alice, created: 1000, text: text, count: Self.subscriptions)
            }
            let largest = Mutex((bytes: 0, count: 0))
            let log = InterceptedLog(
                bench.memory,
                appending: { entries in
                    let bytes = entries.reduce(0) { $0 + $1.byteCount + Limits.rowBytes }
                    largest.withLock { $0 = (max($0.bytes, bytes), $0.count + 1) }
                })
            let stage = bench.start(on: log)
            try await bench.untilCommitted(63)
            stage.cancel()
            await stage.value
            let (bytes, _) = largest.withLock { $0 }
            #expect(bytes < DeliveryPlan.outputBytesMax + 2 * Self.entryBytes)
            #expect(bytes >= DeliveryPlan.outputBytesMax, "a bound that nothing reaches shows nothing")
            let changes = (held + later).flatMap { Array(repeating: "\($0)", count: Self.subscriptions) }
            #expect(try await bench.seen(by: "phone", 1, of: bench.alice) == ["registered"] + changes)
        }
    }
}
