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

    /// A cursor in a journal that began with 5 and 7 of the old source.
    private func cursor() throws -> FeedCursor {
        var cursor = try FeedCursor(
            of: FeedHistory.identity, in: .shared, from: nil, journal: OffsetBounds(start: 0, end: 9), log: "log")
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

    /// A late writer has repeated the first two of five entries; retention has taken all that were there before.
    @Test("without a token, repeats of removed entries may be at the start, and no later", arguments: [true, false])
    func ragged(_ isNear: Bool) throws {
        var cursor = try FeedCursor(
            of: FeedHistory.identity, in: .shared, from: nil, journal: OffsetBounds(start: 5, end: 30_000), log: "log")
        func place(_ offset: Int64) -> SourcePosition { SourcePosition(source: Self.old, offset: offset) }
        _ = try cursor.take(Self.entry(Self.old, 0, after: nil), at: 5)
        _ = try cursor.take(Self.entry(Self.old, 1, after: place(0)), at: 6)
        let next = Self.entry(Self.old, 5, after: place(4))
        guard isNear else {
            let error = #expect(throws: CloudError.self) { try cursor.take(next, at: 10_005) }
            #expect(error?.code == .internalError)
            return
        }
        _ = try cursor.take(next, at: 10_004)
        #expect(cursor.place.position.seen[Self.old] == place(5))
    }

    /// A cursor at a token that has seen up to 5, in a journal that starts at offset 3.
    private func sharing(looked: Int64?) throws -> FeedCursor {
        var token = FeedPosition(
            part: .shared,
            position: LogPosition(offset: 3, seen: [Self.old: SourcePosition(source: Self.old, offset: 5)]))
        token.looked = looked
        return try FeedCursor(
            of: FeedHistory.identity, in: .shared, from: token, journal: OffsetBounds(start: 3, end: 9), log: "log")
    }

    @Test("a token without an offset is expired where retention took its next entries", arguments: [true, false])
    func retained(_ isOld: Bool) throws {
        var cursor = try sharing(looked: nil)
        let before = SourcePosition(source: isOld ? Self.old : Self.new, offset: 7)
        let error = #expect(throws: CloudError.self) { try cursor.take(Self.entry(Self.new, 8, after: before), at: 4) }
        #expect(error?.code == .changeTokenExpired)
    }

    @Test("where its next entry is still there, a token without an offset goes on")
    func next() throws {
        var cursor = try sharing(looked: nil)
        // The device has seen the first one.
        let repeated = SourcePosition(source: Self.old, offset: 4)
        #expect(try cursor.take(Self.entry(Self.old, 5, after: repeated), at: 3) == .skip)
        let seen = SourcePosition(source: Self.old, offset: 5)
        _ = try cursor.take(Self.entry(Self.new, 1, after: seen), at: 5)
        #expect(cursor.place.position.seen.keys.contains(Self.new))
    }

    @Test("a gap behind an entry that was read is an internal error", arguments: [true, false])
    func gap(_ isRepeat: Bool) throws {
        var cursor = try sharing(looked: isRepeat ? nil : 2)
        if isRepeat { _ = try cursor.take(Self.entry(Self.old, 5, after: nil), at: 3) }
        let before = SourcePosition(source: Self.old, offset: 7)
        let error = #expect(throws: CloudError.self) { try cursor.take(Self.entry(Self.old, 8, after: before), at: 4) }
        #expect(error?.code == .internalError)
    }

    @Test("a repeat is skipped, whatever it says of the one before it")
    func repeated() throws {
        var cursor = try cursor()
        let step = try cursor.take(Self.entry(Self.old, 7, after: SourcePosition(source: Self.old, offset: 6)), at: 2)
        #expect(step == .skip)
    }
}
