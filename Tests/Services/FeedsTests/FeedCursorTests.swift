import CloudMessages
import CloudModel
import EventLog
import TestSupport
import Testing

@testable import Feeds

/// What a cursor makes of the name of the entry before.
@Suite struct FeedCursorTests {
    private static let old = FeedHistory.source
    /// The source after `deliveries` was lost and recreated.
    private static let new = SourceID(origin: "deliveries", incarnation: 10, partition: 0)

    private static func entry(_ source: SourceID, _ offset: Int64, after predecessor: SourcePosition?) -> FeedEntry {
        FeedEntry(
            source: SourcePositionMessage(SourcePosition(source: source, offset: offset)),
            predecessor: predecessor.map { SourcePositionMessage($0) }, user: FeedHistory.user.rawValue, time: 1,
            entry: .query(QueryNotification(database: 1, subscription: "s", change: offset, reason: 1)))
    }

    /// A cursor in a feed that began with 5 and 7 of the old source.
    private func cursor() throws -> FeedCursor {
        var cursor = try FeedCursor(
            FeedHistory.identity, from: nil, registration: FeedCursor.Registration(),
            feed: OffsetBounds(start: 0, end: 9),
            journal: nil)
        _ = try cursor.take(Self.entry(Self.old, 5, after: nil), at: 0)
        _ = try cursor.take(Self.entry(Self.old, 7, after: SourcePosition(source: Self.old, offset: 5)), at: 1)
        return cursor
    }

    @Test("the entry after the last one is taken, and one whose predecessor was passed", arguments: [7, 6, 5])
    func known(_ predecessor: Int64) throws {
        var cursor = try cursor()
        let before = SourcePosition(source: Self.old, offset: predecessor)
        _ = try cursor.take(Self.entry(Self.new, 1, after: before), at: 2)
        #expect(cursor.place.position.seen[Self.new] == SourcePosition(source: Self.new, offset: 1))
    }

    @Test("one whose predecessor did not come is a gap, of whatever source", arguments: [(true, 8), (false, 0)])
    func missing(_ isOld: Bool, _ predecessor: Int64) throws {
        var cursor = try cursor()
        let place = cursor.place.position
        let before = SourcePosition(source: isOld ? Self.old : Self.new, offset: predecessor)
        #expect(throws: CloudError.self) { try cursor.take(Self.entry(Self.new, 1, after: before), at: 2) }
        #expect(cursor.place.position == place, "it is met again")
    }

    @Test("a repeat is skipped, whatever it says of the one before it")
    func repeated() throws {
        var cursor = try cursor()
        let step = try cursor.take(Self.entry(Self.old, 7, after: SourcePosition(source: Self.old, offset: 6)), at: 2)
        #expect(step == .skip)
    }
}
