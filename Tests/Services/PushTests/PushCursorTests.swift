import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

@testable import Push

/// Pushes of entries, each once.
@Suite struct PushCursorTests {
    private func entry(_ value: [UInt8]?, at offset: Int64) -> LogEntry {
        LogEntry(offset: offset, timestamp: LogTimestamp(milliseconds: 5), key: nil, value: value, headers: [])
    }

    @Test("an entry is a push for each device, with the device's badge")
    func targets() throws {
        var cursor = PushCursor(offset: 0)
        let message = Pushed.entry(9, at: 4, [Pushed.target("one", badge: 7), Pushed.target("two", "apns")])
        let pushes = try cursor.take(entry(message.encoded(), at: 0))
        #expect(pushes.map(\.device.rawValue) == ["one", "two"] && pushes.map(\.courier.rawValue) == ["web", "apns"])
        #expect(pushes.allSatisfy { $0.epoch == DeviceEpoch(3) && $0.origin?.rawValue == "laptop" })
        #expect(pushes[0].source == pushes[1].source && pushes[0].source.offset == 4)
        let expected = Pushed.notification(.query)
        let contents = pushes.compactMap { push -> Notification.QueryContent? in
            guard case .query(let content) = push.notification.content else { return nil }
            return content
        }
        #expect(contents.map(\.badge) == [7, nil])
        #expect(
            pushes[1].notification.subject == expected.subject && pushes[1].notification.changed == expected.changed)
        #expect(contents[1].subscription.user == Pushed.user && contents[1].appearance.alert.text == "b")
    }

    @Test("an entry that comes again is dropped")
    func duplicates() throws {
        var cursor = PushCursor(offset: 0)
        let offsets: [Int64] = [4, 5, 4, 5, 6]
        let taken = try offsets.enumerated().map { number, source in
            try cursor.take(
                entry(Pushed.entry(source, at: source, [Pushed.target("one")]).encoded(), at: Int64(number))
            ).count
        }
        #expect(taken == [1, 1, 0, 0, 1])
        #expect(cursor.position.offset == 5)
    }

    @Test("what cannot be read throws and is passed by")
    func malformed() throws {
        var cursor = PushCursor(offset: 0)
        var nameless = Pushed.entry(9, at: 4, [])
        nameless.source = nil
        var empty = Pushed.entry(9, at: 5, [])
        empty.notification = nil
        for (number, value) in [nil, [0xff], nameless.encoded(), empty.encoded()].enumerated() {
            #expect(throws: (any Error).self) { try cursor.take(entry(value, at: Int64(number))) }
        }
        #expect(try cursor.take(entry(Pushed.entry(9, at: 6, [Pushed.target("one")]).encoded(), at: 4)).count == 1)
    }
}
