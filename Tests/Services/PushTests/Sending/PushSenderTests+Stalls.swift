import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import Push

/// A partition that goes on no more, beside others.
extension PushSenderTests {
    /// A log in which one partition of `push-state` commits nothing until it is opened.
    private final class StuckLog: ForwardingLog {
        let base: any EventLog
        let stuck: TopicPartition
        private let isOpen = Mutex(false)
        private let bell = Bell<Int>()

        init(_ base: any EventLog, stuck: TopicPartition) {
            self.base = base
            self.stuck = stuck
        }

        func open() {
            isOpen.withLock { $0 = true }
            bell.ring(0)
        }

        func takeOver(_ claim: StateClaim) async throws -> any LogStateSession {
            let session = try await base.takeOver(claim)
            return claim.state == stuck ? Session(base: session, log: self) : session
        }

        private struct Session: ForwardingSession {
            let base: any LogStateSession
            let log: StuckLog

            func commit(_ changes: [[UInt8]: [UInt8]?], offset: Int64, at time: LogTimestamp) async throws {
                try await log.bell.wait(for: 0) { log.isOpen.withLock { $0 } }
                try await base.commit(changes, offset: offset, at: time)
            }
        }
    }

    private static func users(in partition: Int32, _ count: Int) -> [UserRecordName] {
        let all = (0...).lazy.map { UserRecordName(trusted: "user-\($0)") }
        return Array(all.filter { layout.pushes(of: $0).partition == partition }.prefix(count))
    }

    private static func write(
        _ log: MemoryLog, _ users: [UserRecordName], devices: Int, from first: Int64
    ) async throws {
        let now = SenderClock().now.milliseconds
        let entries = users.enumerated().map { number, user in
            let targets = (0..<devices).map { Pushed.target("\(user)-\($0)", "apns") }
            var entry = Pushed.entry(first + Int64(number), at: first + Int64(number), targets)
            (entry.user, entry.time) = (user.rawValue, now)
            return OutgoingEntry(
                layout.pushes(of: user), key: layout.userKey(user), value: entry.encoded(),
                timestamp: LogTimestamp(milliseconds: now))
        }
        try await log.withWriter { try await $0.append(entries) }
    }

    @Test("a partition whose commits hang stops after a number of outcomes, and holds no place that others send on")
    func hangingCommits() async throws {
        try await within {
            let memory = try await Self.log()
            let state = TopicPartition(Self.layout.pushState, 0)
            let log = StuckLog(memory, stuck: state)
            let provider = ScriptedProvider { _, _ in .taken }
            let running = Self.sender(log, provider)
            // More users than a line has places for, at eight each.
            try await Self.write(memory, Self.users(in: 0, 100), devices: 30, from: 1)
            try await eventually("the most outcomes without a commit") {
                provider.pushes.count >= PartitionSender.uncommittedMax
            }
            let other = Self.users(in: 1, 1)
            for number in 0..<3 {
                try await Self.write(memory, other, devices: 1, from: Int64(1000 + number))
                try await eventually("push \(number) of the other partition") {
                    provider.pushes.count { $0.device == "\(other[0])-0" } == number + 1
                }
            }
            let sent = provider.pushes.count - 3
            #expect(sent < PartitionSender.uncommittedMax + SendLines.Budget().queue, "\(sent) without a commit")
            log.open()
            try await eventually("the rest") { provider.pushes.count == 3003 }
            running.cancel()
            await running.value
            #expect(Set(provider.pushes.map(\.device)).count == 3001)
        }
    }
}
