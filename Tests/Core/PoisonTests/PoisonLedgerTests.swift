import CloudMessages
import CloudModel
import CrashMarks
import EventLog
import MemoryLog
import ProtocolBuffers
import Synchronization
import TestSupport
import Testing

@testable import Poison

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Entries at which processes crash are set aside after three crashes, by the entries in the log.
@Suite struct PoisonLedgerTests {
    private static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 2)
    private static let changes = TopicPartition(layout.changes(.public), 1)
    private static let time = Timestamp(milliseconds: 5000)

    private static func place(_ offset: Int64, _ stage: PoisonPlace.Stage = .match) -> PoisonPlace {
        PoisonPlace(stage: stage, topic: "changes.public", incarnation: 7, partition: 1, offset: offset)
    }

    private func log() async throws -> MemoryLog {
        let log = MemoryLog()
        _ = try await log.createTopics(Self.layout.fixedTopics)
        return log
    }

    /// What a process that dies leaves in a folder: the mark of the entry that it works on.
    private func die(in folder: String, at offset: Int64, alone: Bool) async {
        await #expect(processExitsWith: .failure) { [folder, place = Self.mark() as String, offset, alone] in
            let marks = try CrashMarks(folder: folder)
            marks.slot(for: place)!.begin(offset, isAlone: alone)
            // Not by a trap: its report would take seconds.
            raise(9)
        }
    }

    private static func mark(_ stage: String = "match", _ topic: String = "changes.public/7/1") -> String {
        "iCloud.test.development|\(stage)/\(topic)"
    }

    /// Starts as a process does: reports the dead, reads the table, and asks about an entry.
    private func start(
        _ log: MemoryLog, _ folder: String, _ check: (PoisonWatch) async throws -> Void
    ) async throws {
        let marks = try CrashMarks(folder: folder)
        let ledger = PoisonLedger(log: log, layout: Self.layout, marks: marks, now: { Self.time })
        let running = Task { await ledger.run() }
        try await ledger.waitUntilReady()
        await marks.forgetLeft(after: [ledger])
        try await check(ledger.watch(.match, Self.changes, incarnation: 7))
        running.cancel()
        await running.value
    }

    @Test func anEntryIsMetThreeTimesAndThenPassedBy() async throws {
        try await within {
            let log = try await log()
            let folder = TemporaryFolder()
            let path = folder.path("marks")
            for deaths in 0..<3 {
                try await start(log, path) { watch in
                    #expect(watch.meet(41) { $0 } == 0)
                    #expect(watch.meet(42) { $0 } == deaths)
                }
                await die(in: path, at: 42, alone: deaths > 0)
            }
            try await start(log, path) { watch in
                #expect(watch.meet(42) { $0 } == nil)
                #expect(watch.meet(43) { $0 } == 0)
            }
            // A start without a crash counts nothing, and earlier decisions stay.
            try await start(log, path) { #expect($0.meet(42) { $0 } == nil) }
            let table = try await PoisonLedger.table(on: log, Self.layout)
            #expect(table.setAside.map(\.place) == [Self.place(42)])
            #expect(table.setAside.map(\.item.deaths) == [3])
        }
    }

    /// Bystanders of a suspect that was worked on alone are not to blame; nor are entries of another environment.
    @Test func onlyTheSuspectIsBlamed() {
        let left = [
            CrashMarks.Left(place: Self.mark(), item: 1, isAlone: false),
            CrashMarks.Left(place: Self.mark("deliver", "deliveries/9/0"), item: 2, isAlone: true),
            CrashMarks.Left(place: "iCloud.test.production|match/changes.public/7/1", item: 3, isAlone: false),
            CrashMarks.Left(place: "nonsense", item: 4, isAlone: false),
            CrashMarks.Left(place: Self.mark("match", "changes.public/zz/1"), item: 5, isAlone: false),
        ]
        #expect(PoisonLedger.blamed(left, Self.layout).map(\.description) == ["deliver/deliveries/0@2"])
        #expect(
            PoisonLedger.blamed(left.filter { !$0.isAlone }, Self.layout).map(\.description)
                == ["match/changes.public/1@1"])
    }

    /// A suspect is worked on while no other suspect is.
    @Test func suspectsAreMetOneAtATime() async throws {
        let suspects = Suspects()
        let watches = (0..<4).map { _ in PoisonWatch(suspects: suspects, slot: nil) }
        for watch in watches { watch.learn(1, PoisonTable.Item(deaths: 1, last: Self.time)) }
        let crowd = Crowd()
        await withTaskGroup(of: Void.self) { group in
            for watch in watches {
                group.addTask {
                    for _ in 0..<200 { _ = watch.meet(1) { _ in crowd.visit() } }
                }
            }
        }
        #expect(crowd.most.load(ordering: .relaxed) == 1)
    }

    /// How many were inside at once.
    private final class Crowd: Sendable {
        let inside = Atomic(0)
        let most = Atomic(0)

        func visit() {
            let count = inside.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
            most.max(count, ordering: .relaxed)
            inside.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Another member of the group learns of a decision while it runs.
    @Test func decisionsOfOtherProcessesApplyAtOnce() async throws {
        try await within {
            let log = try await log()
            let first = PoisonLedger(log: log, layout: Self.layout, marks: nil, now: { Self.time })
            let second = PoisonLedger(log: log, layout: Self.layout, marks: nil, now: { Self.time })
            let running = Task { await first.run() }
            try await first.waitUntilReady()
            let watch = first.watch(.match, Self.changes, incarnation: 7)
            #expect(watch.meet(9) { $0 } == 0)
            try await second.noteUnreadable(Self.place(9), "it has no value")
            try await eventually("the news") { watch.meet(9) { $0 } == nil }
            running.cancel()
            await running.value
        }
    }

    @Test func retriedEntriesComeAtTheEnd() async throws {
        try await within {
            let log = try await log()
            let writer = try await log.makeWriter()
            let store = SourcePosition(source: .store(3), offset: 12)
            let event = ChangeEvent(source: SourcePositionMessage(store), lastSubscription: 11)
            for _ in 0..<2 {
                try await writer.append([
                    OutgoingEntry(
                        Self.changes, key: [1, 2], value: event.encoded(), timestamp: LogTimestamp(Self.time))
                ])
            }
            let ledger = PoisonLedger(log: log, layout: Self.layout, marks: nil, now: { Self.time })
            try await ledger.noteUnreadable(Self.place(1), "so it seemed")
            func retry(_ place: PoisonPlace) async throws -> PoisonLedger.Retry {
                let table = try await PoisonLedger.table(on: log, Self.layout)
                return try await PoisonLedger.retry(place, in: table, on: log, Self.layout, at: Self.time)
            }
            #expect(try await retry(Self.place(0)) == .unknown)
            #expect(try await retry(Self.place(1)) == .appended)
            #expect(try await retry(Self.place(1)) == .earlier)
            let entries = try await log.follow(Self.changes, from: 2).entriesToEnd()
            let copy = try ChangeEvent(decoding: try #require(entries.first?.value))
            #expect(entries.count == 1 && entries[0].key == [1, 2] && copy.source?.offset == 12)
            // A reader that has seen the original takes the copy for a new entry.
            var position = LogPosition(offset: 0)
            let name = try #require(copy.source?.position)
            #expect(position.advance(to: store) && position.advance(to: name) && !position.advance(to: name))
            // It is passed by where it stood, and met where it stands now.
            let table = try await PoisonLedger.table(on: log, Self.layout)
            #expect(table.items[Self.place(1)]?.isSetAside == true && table.items[Self.place(2)] == nil)
            try await log.truncate([Self.changes: 2])
            try await ledger.noteUnreadable(Self.place(0, .match), "gone")
            #expect(try await retry(Self.place(0)) == .gone)
        }
    }
}
