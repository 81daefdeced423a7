import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import Push

/// Senders that die, and those that take their partitions over.
extension PushSenderTests {
    /// The places at which a sender dies.
    enum Death: CaseIterable, Sendable { case handed, answered, committing, committed }

    @Test(
        "a sender that dies at any step: another takes over, nothing is lost, and repeats have their IDs",
        arguments: Death.allCases, [3, 40, 200])
    func deaths(at death: Death, count: Int) async throws {
        try await within {
            let memory = try await Self.log()
            let all = Int64(600)
            let devices = (0..<5).map { "d\($0)" }
            let mortal = MortalLog(memory) { log, isDone in
                if death == .committing, !isDone, log.commitCount >= count / 20 { log.die() }
                if death == .committed, isDone, log.commitCount >= count / 20 { log.die() }
            }
            let isDead: @Sendable () -> Bool = { mortal.isDead.withLock { $0 } }
            let first = ScriptedProvider("first", isDead: isDead) { _, number in
                if death == .handed, number >= count { mortal.die() }
                // A dead process gets no answers, and commits nothing.
                if isDead() { return .failed(PushFailure(reason: "dead"), .address(after: .seconds(3600))) }
                if death == .answered, number >= count { mortal.die() }
                return .taken
            }
            let second = ScriptedProvider("second") { _, _ in .taken }
            var settings = PushSenderSettings()
            settings.commitPause = .milliseconds(20)
            let dying = Self.sender(mortal, first, settings: settings)
            var change: Int64 = 0
            while change < all {
                try await Self.write(memory, change + 1...change + 10, devices)
                change += 10
                await Task.yield()
            }
            try await eventually("the death, or the end") {
                if mortal.isDead.withLock({ $0 }) { return true }
                return first.pushes.contains { $0.change == all }
            }
            mortal.die()
            dying.cancel()
            await dying.value
            let committed = try await Self.settled(memory)
            let taking = Self.sender(memory, second, settings: settings)
            try await Self.untilIdle(memory, at: all)
            taking.cancel()
            await taking.value
            try Self.check(first.pushes, second.pushes, committed, devices, all)
        }
    }

    /// The changes of the last settled pushes, by device, as they are committed.
    private static func settled(_ log: MemoryLog) async throws -> [String: Int64] {
        var settled: [String: Int64] = [:]
        for (key, value) in try await rows(log) {
            guard let (destination, isContent) = PushDestination.reading(key), !isContent else { continue }
            settled[destination.device.rawValue] = try PushStateMessage(decoding: value).settled?.offset
        }
        return settled
    }

    private static func check(
        _ first: [ScriptedProvider.Received], _ second: [ScriptedProvider.Received], _ committed: [String: Int64],
        _ devices: [String], _ all: Int64
    ) throws {
        for device in devices {
            let lives = [first, second].map { $0.filter { $0.device == device } }
            #expect(lives.joined().contains { $0.change == all }, "\(device) lacks the newest")
            for life in lives { #expect(life.map(\.change) == life.map(\.change).sorted()) }
            // What the second sends for the first time is newer than all that the first sent.
            let sent = lives[0].map(\.change)
            let new = Set(lives[1].map(\.change)).subtracting(sent)
            #expect(new.allSatisfy { $0 > sent.max() ?? 0 }, "\(device): \(new.sorted()) after \(sent.max() ?? 0)")
            let ids = Dictionary(grouping: lives.joined(), by: \.change).mapValues { Set($0.map(\.push.id)) }
            #expect(ids.values.allSatisfy { $0.count == 1 })
            // Pushes that were settled by the last commit are not sent again.
            let repeated = Set(lives[0].map(\.change)).intersection(lives[1].map(\.change))
            #expect(repeated.allSatisfy { $0 > committed[device] ?? 0 }, "\(device) \(repeated)")
        }
    }

    @Test("after a takeover nothing is sent before all is read that the former sender may have sent")
    func takeover() async throws {
        try await within {
            let log = try await Self.log()
            // Three batches.
            let all = Int64(2500)
            try await Self.write(log, 1...all, ["phone"])
            let provider = ScriptedProvider { _, _ in .taken }
            let task = Self.sender(log, provider)
            try await Self.untilIdle(log, at: all)
            #expect(provider.pushes.map(\.change) == [all])
            #expect(provider.pushes.map(\.push.merged) == [Int(all)])
            task.cancel()
            await task.value
        }
    }
}
