import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Hits of a build that named them by offsets, and the same ones by their sequences.
@Suite struct FormerNameTests {
    private static let layout = History.layout
    private static let user = History.users[0]
    private static let topic = SourceID(origin: "changes.public", incarnation: 5, partition: 0)
    private static let named = SourceID(
        origin: DeliveryEntry.hitsOrigin(.public), incarnation: 77, partition: 0)

    private func entry(_ offset: Int64, _ name: SourcePosition, place: Int64 = 0, formerly: UInt64 = 0) -> LogEntry {
        let hits = HitsMessage(
            change: 100 + place, kind: 1, recordType: "T", recordName: "r", zone: ZoneMessage(ZoneID.publicDefault),
            origin: OriginMessage(user: "other"), hits: [Hit(database: 1, subscription: "s", created: 1, kind: 0)])
        let message = DeliveryEntry(
            source: SourcePositionMessage(name), user: Self.user.rawValue, time: 1, event: .hits(hits), place: place,
            formerly: formerly)
        return LogEntry(
            offset: offset, timestamp: LogTimestamp(milliseconds: 1), key: Self.layout.userKey(Self.user),
            value: message.encoded(), headers: [])
    }

    private func old(_ offset: Int64, _ place: Int64) -> LogEntry {
        entry(offset, SourcePosition(source: Self.topic, offset: place), place: place)
    }

    private func new(_ offset: Int64, _ place: Int64, formerly: UInt64 = 0) -> LogEntry {
        entry(offset, SourcePosition(source: Self.named, offset: 100 + place), place: place, formerly: formerly)
    }

    /// The entries of the journal after each entry of `deliveries`.
    private func delivered(_ entries: [LogEntry]) throws -> [Int] {
        let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
        var machine = try PartitionDelivery(layout: Self.layout, source: source, state: [:])
        var count = 0
        return entries.map {
            count += machine.apply([$0]).outputs.journals.count
            return count
        }
    }

    @Test("hits that an earlier build has delivered do not come again under the new names")
    func upgraded() throws {
        // Two were written by the earlier build. It had committed neither, so the next one matches both again.
        let entries = [
            old(0, 10), old(1, 11), new(2, 10, formerly: 5), new(3, 11, formerly: 5), new(4, 12, formerly: 5),
        ]
        #expect(try delivered(entries) == [1, 2, 2, 2, 3])
    }

    @Test("a change at an offset that an earlier build's change had is news, once that build is gone")
    func offsetsAreUsedAgain() throws {
        #expect(try delivered([old(0, 20), new(1, 11), new(2, 12), new(3, 12)]) == [1, 2, 3, 3])
    }

    @Test("a topic of changes that was recreated is not that of the earlier names")
    func recreated() throws { #expect(try delivered([old(0, 20), new(1, 11, formerly: 6)]) == [1, 2]) }
}
