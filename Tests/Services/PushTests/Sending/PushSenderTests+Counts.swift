import CloudMessages
import CloudModel
import EventLog
import JSON
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import Push

/// The number of changes in a push that is sent in place of several.
extension PushSenderTests {
    private static func write(_ log: MemoryLog, _ change: Int64, standingFor count: Int64) async throws {
        var entry = Pushed.entry(change, at: change, [Pushed.target("phone", "apns")])
        entry.time = SenderClock().now.milliseconds
        entry.notification?.changeCount = count
        let outgoing = Pushed.outgoing(entry)
        try await log.withWriter { try await $0.append([outgoing]) }
    }

    private static func changes(_ push: ScriptedProvider.Received) throws -> Int64? {
        try JSONValue(parsing: push.push.payload.bytes)["fanfare"]?["changes"]?.integer
    }

    @Test(
        "a push that stands for others shows the newest, with the number of all their changes, also in another sender")
    func counts() async throws {
        try await within {
            let log = try await Self.log()
            // All are there before the sender starts, so that they wait together. One without a number is of one change.
            for (change, count) in [(1, 0), (2, 3), (3, 4)] as [(Int64, Int64)] {
                try await Self.write(log, change, standingFor: count)
            }
            let down = ScriptedProvider { _, _ in
                .failed(PushFailure(reason: "down"), .address(after: .milliseconds(200)))
            }
            let first = Self.sender(log, down)
            try await eventually("a commit of the push that failed") {
                try await Self.rows(log).contains { key, value in
                    guard let (_, isContent) = PushDestination.reading(key), !isContent else { return false }
                    return try PushStateMessage(decoding: value).waiting.map { $0.tries > 0 } ?? false
                }
            }
            first.cancel()
            await first.value
            let failed = try #require(down.pushes.first)
            #expect(try failed.change == 3 && Self.changes(failed) == 8)
            // A badge is no change.
            var badge = Pushed.entry(4, at: 4, [Pushed.target("phone", "apns", badge: 5)])
            (badge.notification, badge.hints) = (nil, [FeedHint()])
            let outgoing = Pushed.outgoing(badge)
            try await log.withWriter { try await $0.append([outgoing]) }
            try await Self.write(log, 5, standingFor: 2)
            let up = ScriptedProvider { _, _ in .taken }
            let second = Self.sender(log, up)
            try await Self.untilIdle(log, at: 5)
            let sent = try #require(up.pushes.first)
            #expect(try up.pushes.count == 1 && sent.change == 5 && Self.changes(sent) == 10)
            // A push that was sent is not counted again.
            try await Self.write(log, 6, standingFor: 0)
            try await Self.untilIdle(log, at: 6)
            #expect(try up.pushes.count == 2 && Self.changes(up.pushes[1]) == nil)
            second.cancel()
            await second.value
        }
    }
}
