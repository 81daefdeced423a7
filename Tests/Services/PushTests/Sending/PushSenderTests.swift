import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Poison
import ProtocolBuffers
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Push

/// The stage over a log: the pushes that a provider is handed, over crashes, takeovers and losses.
@Suite struct PushSenderTests {
    static let layout = Pushed.layout
    static var partition: TopicPartition { layout.pushes(of: Pushed.user) }

    static func sender(
        _ log: any EventLog, _ provider: any PushProvider, _ addresses: any PushAddresses = ScriptedAddresses(),
        missed: (any MissedPushes)? = nil, settings: PushSenderSettings = PushSenderSettings(),
        poison: PoisonLedger? = nil
    ) -> Task<Void, Never> {
        let payloads = PushPayloads(container: ContainerIdentifier(trusted: "iCloud.test")) { "change-\($0.change)" }
        let sender = PushSender(
            log: log, layout: layout, providers: [provider], payloads: payloads, addresses: addresses, missed: missed,
            settings: settings, poison: poison)
        return Task { await sender.run() }
    }

    static func log() async throws -> MemoryLog {
        let memory = MemoryLog()
        _ = try await memory.createTopics(layout.fixedTopics)
        return memory
    }

    static func write(
        _ log: MemoryLog, _ changes: ClosedRange<Int64>, _ devices: [String], time: Int64 = .max
    ) async throws {
        let now = time == .max ? SenderClock().now.milliseconds : time
        try await log.withWriter { writer in
            try await writer.append(
                changes.map { change in
                    var entry = Pushed.entry(change, at: change, devices.map { Pushed.target($0, "apns") })
                    entry.time = now
                    return Pushed.outgoing(entry)
                })
        }
    }

    /// The rows of `push-state` by key, as they are at last.
    static func rows(_ log: MemoryLog) async throws -> [[UInt8]: [UInt8]] {
        var rows: [[UInt8]: [UInt8]] = [:]
        let state = TopicPartition(layout.pushState, partition.partition)
        try await log.readToEnd(of: state) { entry in rows[entry.key!] = entry.value }
        return rows
    }

    static func untilIdle(_ log: MemoryLog, at offset: Int64) async throws {
        try await eventually("the commit of everything") {
            let committed = try await log.committedPositions(of: layout.pushGroup, [partition])[partition]?.offset
            let waits = try await rows(log).contains { key, value in
                guard let (_, isContent) = PushDestination.reading(key), !isContent else { return false }
                return try PushStateMessage(decoding: value).waiting != nil
            }
            return committed == offset && !waits
        }
    }

    @Test("pushes that were there before the first start are sent, in order, with their badge, and hints are passed by")
    func everything() async throws {
        try await within {
            let log = try await Self.log()
            var hint = Pushed.entry(1, at: 0, [])
            hint = PushEntry(source: hint.source, hints: [FeedHint()])
            try await log.withWriter { try await $0.append([Pushed.outgoing(hint)]) }
            try await Self.write(log, 1...1, ["phone", "tablet"])
            let provider = ScriptedProvider { _, _ in .taken }
            let task = Self.sender(log, provider)
            try await eventually("two pushes") { provider.pushes.count == 2 }
            for change in 2...5 {
                try await Self.write(log, Int64(change)...Int64(change), ["phone"])
                try await eventually("push \(change)") { provider.pushes.contains { $0.change == Int64(change) } }
            }
            // A writer that began again.
            try await Self.write(log, 3...5, ["phone"])
            try await Self.untilIdle(log, at: 9)
            #expect(provider.pushes.filter { $0.device == "phone" }.map(\.change) == [1, 2, 3, 4, 5])
            #expect(provider.pushes.allSatisfy { $0.push.isVisible && $0.push.merged == 1 })
            task.cancel()
            await task.value
        }
    }

    @Test("outcomes are committed once their time or their number has come, and the position with them")
    func commits() async throws {
        let time = ManualTime()
        try await within {
            try await time.bound {
                let memory = try await Self.log()
                let log = MortalLog(memory)
                let provider = ScriptedProvider { _, _ in .taken }
                var settings = PushSenderSettings()
                settings.commitCount = 10
                let task = Self.sender(log, provider, settings: settings)
                try await Self.write(memory, 1...1, (0..<9).map { "d\($0)" })
                try await eventually("the first") { provider.pushes.count == 9 }
                try await eventually("its pause") { time.pauses.contains(.milliseconds(200)) }
                #expect(log.commitCount == 0)
                // The tenth outcome.
                try await Self.write(memory, 2...2, ["d9"])
                try await eventually("a commit by number") { log.commitCount == 1 }
                try await Self.write(memory, 3...3, ["d0"])
                try await eventually("the second pause") { time.pauses.count { $0 == .milliseconds(200) } >= 2 }
                #expect(log.commitCount == 1)
                time.advance(by: .milliseconds(200))
                try await eventually("a commit by time") { log.commitCount == 2 }
                task.cancel()
                time.advance(by: .seconds(10))
                await task.value
            }
        }
    }

    @Test(
        "entries that retention removed while a sender was away are made up for by one push a device, and the rest follows"
    )
    func retention() async throws {
        try await within {
            let log = try await Self.log()
            let provider = ScriptedProvider { _, _ in .taken }
            let task = Self.sender(log, provider)
            try await Self.write(log, 1...1, ["phone", "tablet"])
            try await Self.untilIdle(log, at: 1)
            task.cancel()
            await task.value
            try await Self.write(log, 2...20, ["phone"])
            try await log.truncate([Self.partition: 15])
            let before = PushSenderMetrics.lost.count
            let missed = ScriptedMissed([("phone", 15, 14)])
            let again = Self.sender(log, provider, missed: missed)
            try await Self.untilIdle(log, at: 20)
            #expect(PushSenderMetrics.lost.count > before)
            let phone = provider.pushes.filter { $0.device == "phone" }
            #expect(phone.map(\.change).last == 20 && phone.reduce(0) { $0 + $1.push.merged } == 20)
            // The name of the last push that was sent, and that of the first one that is kept.
            #expect(missed.asked.contains("phone 1 16") && missed.asked.contains("tablet 1 16"))
            #expect(provider.pushes.count { $0.device == "tablet" } == 1)
            again.cancel()
            await again.value
        }
    }

    @Test("entries at which senders died three times are passed by, those that cannot be read are listed, others go on")
    func poison() async throws {
        try await within {
            let log = try await Self.log()
            try await Self.write(log, 1...4, ["phone"])
            let unreadable = OutgoingEntry(
                Self.partition, key: nil, value: [0xff], timestamp: LogTimestamp(milliseconds: 5))
            try await log.withWriter { try await $0.append([unreadable]) }
            try await Self.write(log, 5...5, ["phone"])
            let incarnation = try await log.describeTopics([Self.layout.pushes])[Self.layout.pushes]?.incarnation ?? 0
            // Entry 1 is change 2, of which two deaths are known; entry 3 is change 4, of which three are.
            for (offset, death) in [(1, 1), (1, 2), (3, 1), (3, 2), (3, 3)] {
                let event = PoisonEvent(
                    stage: "push", topic: "pushes", incarnation: incarnation, partition: Self.partition.partition,
                    offset: Int64(offset), kind: 1)
                let deadly = OutgoingEntry(
                    TopicPartition(Self.layout.poison), key: Array("\(offset) \(death)".utf8), value: event.encoded(),
                    timestamp: LogTimestamp(milliseconds: 5))
                try await log.withWriter { try await $0.append([deadly]) }
            }
            let ledger = PoisonLedger(log: log, layout: Self.layout, marks: nil) { Timestamp(milliseconds: 5) }
            let running = Task { await ledger.run() }
            let provider = ScriptedProvider { _, _ in .taken }
            let task = Self.sender(log, provider, poison: ledger)
            try await Self.untilIdle(log, at: 6)
            #expect(provider.pushes.reduce(0) { $0 + $1.push.merged } == 4 && provider.pushes.last?.change == 5)
            #expect(!provider.pushes.contains { $0.change == 4 })
            let aside = try await PoisonLedger.table(on: log, Self.layout).setAside.map(\.place.offset)
            #expect(aside == [3, 4])
            task.cancel()
            await task.value
            running.cancel()
        }
    }

    @Test("each device with something missed gets one push, found in the journal, and then come the kept ones")
    func away() async throws {
        try await within {
            let log = try await Self.log()
            let provider = ScriptedProvider { _, _ in .taken }
            func journal(_ push: PushEntry, by device: String? = nil, _ content: FeedEntry.Entry) async throws {
                let entry = FeedEntry(
                    source: push.source, user: push.user, time: SenderClock().now.milliseconds, device: device,
                    epoch: device.map { _ in 3 }, entry: content)
                let outgoing = OutgoingEntry(
                    Self.layout.journals(of: Pushed.user), key: Self.layout.userKey(Pushed.user),
                    value: entry.encoded(), timestamp: LogTimestamp(milliseconds: 5))
                try await log.withWriter { try await $0.append([outgoing]) }
            }
            func notify(
                _ changes: ClosedRange<Int64>, _ names: [String], by device: String? = nil
            ) async throws {
                for change in changes {
                    let push = Pushed.entry(change, at: change, [])
                    try await journal(push, by: device, .query(push.notification!))
                }
                try await Self.write(log, changes, names)
            }
            let task = Self.sender(log, provider)
            try await notify(1...1, ["phone", "tablet"])
            try await Self.write(log, 2...2, ["gone"])
            try await Self.untilIdle(log, at: 2)
            task.cancel()
            await task.value
            try await notify(3...15, ["phone"], by: "tablet")
            var removal = Pushed.entry(15, at: 15, [])
            removal.source?.index = 1
            try await journal(removal, .unregistered(UnregisteredMark(device: "gone", epoch: 3)))
            try await notify(16...20, ["phone"], by: "tablet")
            try await notify(21...21, ["tablet"], by: "phone")
            try await log.truncate([Self.partition: 15])
            let again = Self.sender(log, provider, missed: MissedInFeeds(log: log, layout: Self.layout))
            try await Self.untilIdle(log, at: 21)
            let phone = provider.pushes.filter { $0.device == "phone" }
            #expect(phone.last?.change == 20 && phone.reduce(0) { $0 + $1.push.merged } == 19)
            #expect(phone.count < 19 && phone.dropFirst().first.map { $0.change >= 15 } == true)
            #expect(provider.pushes.filter { $0.device == "tablet" }.map(\.change) == [1, 21])
            #expect(provider.pushes.filter { $0.device == "gone" }.map(\.change) == [2])
            again.cancel()
            await again.value
        }
    }

    @Test("a sender that fails while it makes up for removed entries goes on with the others, and repeats none")
    func retentionTwice() async throws {
        try await within {
            let log = try await Self.log()
            let provider = ScriptedProvider { _, _ in .taken }
            let devices = (0..<6).map { "d\($0)" }
            let task = Self.sender(log, provider)
            try await Self.write(log, 1...1, devices)
            try await Self.untilIdle(log, at: 1)
            task.cancel()
            await task.value
            try await Self.write(log, 2...9, devices)
            // Also where nothing is left.
            try await log.truncate([Self.partition: 9])
            let missed = ScriptedMissed(devices.map { ($0, 9, 8) }, failing: 3)
            let again = Self.sender(log, provider, missed: missed)
            try await Self.untilIdle(log, at: 9)
            for device in devices {
                let own = provider.pushes.filter { $0.device == device }
                #expect(own.map(\.change) == [1, 9] && own.last?.push.merged == 8, "\(device)")
            }
            #expect(missed.asked.count == 6 && missed.asked.contains("d5 1 -1"))
            again.cancel()
            await again.value
        }
    }

    @Test("a dead address is removed, again until that is stored; a device without one leaves nothing behind")
    func removals() async throws {
        let time = ManualTime()
        try await within {
            try await time.bound {
                let log = try await Self.log()
                let addresses = ScriptedAddresses()
                addresses.refuse(1)
                addresses.forget("gone")
                let provider = ScriptedProvider { push, _ in
                    guard push.device == "dead" else { return .taken }
                    return .gone(PushFailure(status: 410, reason: "Unregistered"), since: Timestamp(milliseconds: 101))
                }
                let task = Self.sender(log, provider, addresses)
                let clock = Task {
                    while !Task.isCancelled {
                        time.advance(by: .milliseconds(100))
                        await Task.yield()
                    }
                }
                try await Self.write(log, 1...1, ["dead", "phone", "gone"])
                try await eventually("the removal") { addresses.removed.contains("dead") }
                #expect(provider.pushes.count { $0.device == "dead" } == 2)
                try await Self.untilIdle(log, at: 1)
                let keys = try await Self.rows(log).keys.compactMap { PushDestination.reading($0)?.destination.device }
                #expect(Set(keys.map(\.rawValue)) == ["dead", "phone"])
                task.cancel()
                await task.value
                clock.cancel()
            }
        }
    }

    @Test("a push that is too large is sent once more without contents, and then dropped")
    func tooLarge() async throws {
        try await within {
            let log = try await Self.log()
            let provider = ScriptedProvider { push, _ in
                push.device == "small" || push.push.contents == .full
                    ? .tooLarge(PushFailure(status: 413, reason: "PayloadTooLarge")) : .taken
            }
            let task = Self.sender(log, provider)
            try await Self.write(log, 1...1, ["phone", "small"])
            try await Self.untilIdle(log, at: 1)
            for device in ["phone", "small"] {
                #expect(provider.pushes.filter { $0.device == device }.map(\.push.contents) == [.full, .none])
            }
            #expect(Set(provider.pushes.filter { $0.device == "phone" }.map(\.push.id)).count == 1)
            task.cancel()
            await task.value
        }
    }

    @Test("two senders over a log whose commits fail: each device gets the newest push")
    func failingCommits() async throws {
        try await within {
            let memory = try await Self.log()
            let log = FailingLog(memory) { [2: .before, 5: .after, 9: .before][$0] }
            let provider = ScriptedProvider { _, _ in .taken }
            var settings = PushSenderSettings()
            settings.commitPause = .milliseconds(5)
            let tasks = (0..<2).map { _ in Self.sender(log, provider, settings: settings) }
            for change in 1...30 {
                try await Self.write(memory, Int64(change)...Int64(change), ["a", "b"])
                try await eventually("push \(change)") {
                    Set(provider.pushes.filter { $0.change == Int64(change) }.map(\.device)) == ["a", "b"]
                }
            }
            try await Self.untilIdle(memory, at: 30)
            #expect(log.failureCount > 0)
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
        }
    }

    @Test("a partition that is given back in order repeats nothing, also with a push in flight")
    func handover() async throws {
        try await within {
            let log = try await Self.log()
            let isAnswered = Mutex(false)
            let first = ScriptedProvider("first") { push, _ in
                while push.change == 3, !isAnswered.withLock({ $0 }) { await Task.yield() }
                return .taken
            }
            let second = ScriptedProvider("second") { _, _ in .taken }
            let leaving = Self.sender(log, first)
            for change in 1...3 {
                try await Self.write(log, Int64(change)...Int64(change), ["a"])
                try await eventually("push \(change)") { first.pushes.count == change }
            }
            leaving.cancel()
            isAnswered.withLock { $0 = true }
            await leaving.value
            let taking = Self.sender(log, second)
            try await Self.write(log, 4...4, ["a"])
            try await Self.untilIdle(log, at: 4)
            #expect(first.pushes.map(\.change) == [1, 2, 3] && second.pushes.map(\.change) == [4])
            taking.cancel()
            await taking.value
        }
    }

    @Test("contents beyond the limit are read again from push-state")
    func contents() async throws {
        try await within {
            let log = try await Self.log()
            let isBack = Mutex(false)
            let provider = ScriptedProvider { _, _ in
                isBack.withLock { $0 }
                    ? .taken : .failed(PushFailure(reason: "down"), .address(after: .milliseconds(200)))
            }
            var settings = PushSenderSettings()
            settings.contentBytesMax = 1000
            let task = Self.sender(log, provider, settings: settings)
            let devices = (0..<50).map { "d\($0)" }
            try await Self.write(log, 1...3, devices)
            try await eventually("a commit of all") {
                try await Self.rows(log).keys.count { PushDestination.reading($0)?.isContent == true } == 50
            }
            isBack.withLock { $0 = true }
            try await Self.untilIdle(log, at: 3)
            for device in devices {
                #expect(provider.pushes.last { $0.device == device }.map { $0.change == 3 } == true, "\(device)")
            }
            task.cancel()
            await task.value
        }
    }
}
