import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Push

/// What a sender notes in its journal.
@Suite struct SenderNotesTests {
    /// A journal in memory.
    private final class KeptNotes: PushJournal {
        private let notes = Mutex<[PushNote]>([])

        func note(_ note: PushNote) { notes.withLock { $0.append(note) } }

        /// The notes about a device.
        func of(_ device: String) -> [PushNote] {
            notes.withLock { $0 }.filter { $0.destination.device.rawValue == device }
        }
    }

    private static func write(_ log: MemoryLog, _ change: Int64, _ targets: [PushTarget], at time: Int64) async throws {
        try await log.withWriter { writer in
            var entry = Pushed.entry(change, at: change, targets)
            entry.time = time
            try await writer.append([Pushed.outgoing(entry)])
        }
    }

    private static func sending(
        _ provider: ScriptedProvider, _ addresses: ScriptedAddresses = ScriptedAddresses(),
        _ body: @escaping @Sendable (MemoryLog, KeptNotes) async throws -> Void
    ) async throws {
        try await within {
            let log = MemoryLog()
            _ = try await log.createTopics(Pushed.layout.fixedTopics)
            let notes = KeptNotes()
            let sender = PushSender(
                log: log, layout: Pushed.layout, providers: [provider],
                payloads: PushPayloads(container: ContainerIdentifier(trusted: "iCloud.test")) {
                    "change-\($0.change)"
                },
                addresses: addresses, journal: notes)
            let task = Task { await sender.run() }
            try await body(log, notes)
            task.cancel()
            await task.value
        }
    }

    @Test("each end of a push is noted once, with its times, its reason and the push that stands for it")
    func ends() async throws {
        let isOpen = Mutex(false)
        let provider = ScriptedProvider { push, _ in
            switch push.device {
            case "slow":
                while push.change == 1, !isOpen.withLock({ $0 }) { await Task.yield() }
                return .taken
            case "dead":
                return .gone(
                    PushFailure(status: 410, reason: "Unregistered"), since: Timestamp(milliseconds: 7_000_000))
            case "bad": return .dropped(PushFailure(status: 400, reason: "PayloadEmpty"))
            default: return .accepted(status: 202)
            }
        }
        let addresses = ScriptedAddresses()
        addresses.forget("nobody")
        try await Self.sending(provider, addresses) { log, notes in
            let now = SenderClock().now.milliseconds
            let all = ["good", "dead", "bad", "nobody", "slow"].map { Pushed.target($0, "apns") }
            try await Self.write(log, 1, all + [Pushed.target("hooked", "webhook")], at: now)
            try await eventually("the first of slow") { provider.pushes.contains { $0.device == "slow" } }
            try await Self.write(log, 2, [Pushed.target("slow", "apns")], at: now)
            try await Self.write(log, 3, [Pushed.target("slow", "apns")], at: now)
            try await Self.write(log, 4, [Pushed.target("late", "apns")], at: 5)
            try await eventually("the last") { notes.of("late").count == 1 }
            isOpen.withLock { $0 = true }
            try await eventually("both of slow") { notes.of("slow").count == 3 }
            for device in ["good", "dead", "bad", "nobody", "hooked"] {
                try await eventually("the end of \(device)") { notes.of(device).count == 1 }
            }
            let good = notes.of("good")[0]
            #expect(good.outcome == .sent && good.status == 202 && good.reason.isEmpty && good.user == Pushed.user)
            let (handed, sent) = (try #require(good.handed), try #require(good.sent))
            let answered = try #require(good.answered)
            #expect(handed <= sent && sent <= answered && good.due == nil)
            let answers = MetricRegistry.shared.prometheusText().matches(
                of: /fanfare_push_sender_answer_seconds_count\{kind="apns"\} ([0-9]+)/)
            #expect(answers.compactMap { Int($0.output.1) }.first.map { $0 >= 4 } == true)
            let text = MetricRegistry.shared.prometheusText()
            for status in ["202", "400", "410"] {
                #expect(text.contains("fanfare_push_sender_answers_total{kind=\"apns\",status=\"\(status)\"} "))
            }
            let accepted = text.firstMatch(
                of: /fanfare_push_sender_last_accepted_timestamp_seconds\{kind="apns"\} ([0-9]+)/)
            #expect(accepted.flatMap { Int64($0.output.1) }.map { $0 >= now / 1000 } == true)
            let dead = notes.of("dead")[0]
            #expect(dead.outcome == .removed && dead.status == 410 && dead.reason == "Unregistered")
            #expect(dead.since == Timestamp(milliseconds: 7_000_000))
            let bad = notes.of("bad")[0]
            #expect(bad.outcome == .dropped && bad.status == 400 && bad.reason == "PayloadEmpty")
            #expect(notes.of("nobody").map(\.reason) == ["noAddress"] && notes.of("nobody")[0].sent == nil)
            #expect(notes.of("hooked").map(\.reason) == ["noProvider"])
            #expect(notes.of("late").map(\.reason) == ["expired"] && notes.of("late")[0].outcome == .dropped)
            let slow = Dictionary(uniqueKeysWithValues: notes.of("slow").map { ($0.name.offset, $0) })
            #expect(slow[1]?.outcome == .sent && slow[1]?.merged == 1)
            #expect(slow[2]?.outcome == .collapsed && slow[2]?.successor == slow[3]?.name)
            #expect(slow[3]?.outcome == .sent && slow[3]?.merged == 2)
        }
    }

    @Test("each time that a push is sent in vain is noted, with the time of the next")
    func failures() async throws {
        let outcomes: [PushOutcome] = [
            .failed(PushFailure(status: 429, reason: "TooManyRequests"), .address(after: .milliseconds(100))),
            .failed(PushFailure(reason: "stream-refused"), .atOnce),
            .tooLarge(PushFailure(status: 413, reason: "PayloadTooLarge")), .taken,
        ]
        let provider = ScriptedProvider { _, number in outcomes[min(number, outcomes.count) - 1] }
        try await Self.sending(provider) { log, notes in
            try await Self.write(log, 1, [Pushed.target("phone", "apns")], at: SenderClock().now.milliseconds)
            try await eventually("the end") { notes.of("phone").last?.outcome == .sent }
            let all = notes.of("phone")
            #expect(all.map(\.outcome) == [.failed, .failed, .failed, .sent])
            #expect(all.map(\.reason) == ["TooManyRequests", "stream-refused", "PayloadTooLarge", ""])
            #expect(all.map(\.tries) == [0, 1, 1, 1] && Set(all.map(\.name)).count == 1)
            let (due, next) = (try #require(all[0].due), try #require(all[1].sent))
            #expect(due <= next && all[0].answered.map { $0 < due } == true)
        }
    }

    @Test("a push that fails while a newer one arrives is noted as collapsed into that")
    func puttingBack() async throws {
        let isOpen = Mutex(false)
        let provider = ScriptedProvider { push, _ in
            guard push.change == 1 else { return .taken }
            while !isOpen.withLock({ $0 }) { await Task.yield() }
            return .failed(PushFailure(status: 503, reason: "Shutdown"), .address(after: .zero))
        }
        try await Self.sending(provider) { log, notes in
            let now = SenderClock().now.milliseconds
            try await Self.write(log, 1, [Pushed.target("phone", "apns")], at: now)
            try await eventually("the first") { provider.pushes.count == 1 }
            try await Self.write(log, 2, [Pushed.target("phone", "apns")], at: now)
            // Its sender has read the entry behind it as well.
            try await Self.write(log, 3, [Pushed.target("other", "apns")], at: now)
            try await eventually("the other") { notes.of("other").count == 1 }
            isOpen.withLock { $0 = true }
            try await eventually("the end") { notes.of("phone").last?.outcome == .sent }
            let all = notes.of("phone")
            #expect(Set(all.map(\.outcome)) == [.failed, .collapsed, .sent])
            let collapsed = all.first { $0.outcome == .collapsed }
            #expect(collapsed?.name.offset == 1 && collapsed?.successor?.offset == 2)
        }
    }
}
