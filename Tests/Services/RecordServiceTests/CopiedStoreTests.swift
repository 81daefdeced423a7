import CloudMessages
import CloudModel
import Continuity
import EventLog
import Foundation
import MemoryLog
import RecordStore
import SQLite
import SQLiteRecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordService

/// Of record-services with copies of one store, one publishes; the others are refused, or both are.
@Suite struct CopiedStoreTests {
    private static let layout = RecordServiceRig.layout
    private static let alice = Caller(user: UserRecordName.sample("a"))

    /// Stores in files, and the log that all of them publish to.
    private struct Halves {
        let folder = TemporaryFolder()
        let log: MemoryLog

        init() async throws { log = try await Relaying.log(CopiedStoreTests.layout) }

        func open(_ name: String) throws -> RecordService {
            let store = try SQLiteRecordStore(
                SQLiteConfiguration(path: folder.path(name), isDurable: false), role: .owner)
            return RecordService(layout: CopiedStoreTests.layout, store: store, log: log)
        }

        /// Copies the files of a store, which may be open while nothing is written.
        func copy(_ name: String, to other: String) throws {
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.path(name + suffix)) {
                try FileManager.default.copyItem(
                    atPath: folder.path(name + suffix), toPath: folder.path(other + suffix))
            }
        }

        func identity(_ service: RecordService) -> RelayIdentity {
            RelayIdentity(store: service.store, layout: service.layout, log: log, now: service.now)
        }

        /// A store that has published one record and was closed.
        func publishFirst() async throws {
            let service = try open("first.sqlite")
            try await service.store.write {
                try $0.addUser(CopiedStoreTests.alice.user!, .development("alice"), at: Timestamp(milliseconds: 0))
            }
            try await save("zero", by: service)
            let relay = Task { await publish(service) }
            try await waitUntilPublished(service)
            relay.cancel()
            await relay.value
            await service.store.close()
        }

        func publish(_ service: RecordService) async {
            await OutboxRelay(store: service.store, layout: service.layout, log: log).run()
        }
    }

    private static func save(_ name: String, by service: RecordService) async throws {
        let results = try await service.modifyRecords([.on(name, .create)], in: .public, for: alice)
        guard case .record = results[0] else { throw CloudError(.internalError, "\(results[0])") }
    }

    private static func waitUntilPublished(_ service: RecordService) async throws {
        try await eventually("an empty outbox") {
            try await service.store.read { try $0.outbox(after: .zero, limit: 1, bytesMax: 1).isEmpty }
        }
    }

    private func otherOwner(_ halves: Halves, _ service: RecordService) async throws {
        let error = await #expect(throws: IdentityMismatch.self) { try await halves.identity(service).confirm() }
        #expect(error?.differences == [.otherOwner])
    }

    @Test func aCopyThatWasNotTheLastOwnerIsRefusedAtItsStart() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            try halves.copy("first.sqlite", to: "second.sqlite")
            let (first, second) = (try halves.open("first.sqlite"), try halves.open("second.sqlite"))
            _ = try await halves.identity(first).confirm()
            // Nothing was saved: the sequences are equal.
            try await otherOwner(halves, second)
            // The owner begins again as often as it likes.
            _ = try await halves.identity(first).confirm()
            try await otherOwner(halves, second)
            // An operator gives the log to the copy, and takes it from the other.
            let repair = StoreRepair(second, log: halves.log)
            #expect(try await repair.differences().found == [.otherOwner])
            try await repair.begin(.repair)
            try await repair.keepIdentity()
            _ = try await halves.identity(second).confirm()
            try await otherOwner(halves, first)
        }
    }

    @Test func ofTwoThatStartTogetherOneIsRefused() async throws {
        try await within {
            for _ in 0..<20 {
                let halves = try await Halves()
                try await halves.publishFirst()
                try halves.copy("first.sqlite", to: "second.sqlite")
                let services = [try halves.open("first.sqlite"), try halves.open("second.sqlite")]
                let passed = await withTaskGroup(of: Bool.self) { group in
                    for service in services {
                        group.addTask { (try? await halves.identity(service).confirm()) != nil }
                    }
                    var passed = 0
                    for await isPassed in group where isPassed { passed += 1 }
                    return passed
                }
                #expect(passed <= 1)
                // The one that passed goes on, and the other one never does.
                var owners = 0
                for service in services where (try? await halves.identity(service).confirm()) != nil { owners += 1 }
                #expect(owners == 1)
            }
        }
    }

    @Test func anOwnerThatDiedBetweenLogAndCopyBeginsAgain() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let first = try halves.open("first.sqlite")
            let identity = halves.identity(first)
            let topic = IdentityTopic(log: halves.log, layout: first.layout)
            let time = LogTimestamp(milliseconds: 1)
            let look = try await topic.look(at: time)
            var claimed = try #require(look.record)
            claimed.owner = 77
            try await first.store.write { try RelayIdentity.keep(claim: 77, $0) }
            _ = try await topic.claim(claimed, after: look, readingFrom: look.next, at: time)
            let judged = RelayIdentity.Judged()
            let confirmed = try await identity.confirm(judged)
            #expect(confirmed.owner != 77)
            // What the one that died had under way comes late.
            let late = identity.entry(claimed, at: Timestamp(milliseconds: 2))
            try await halves.log.withWriter { try await $0.append([late]) }
            try await identity.watch(confirmed, judged)
            try await identity.confirm(judged)
        }
    }

    /// What a claim that failed had under way comes behind the next ones, and says more than the relay began with.
    @Test func aClaimThatFailedAndComesLateIsNotAnotherStores() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let first = try halves.open("first.sqlite")
            let late = Mutex<[OutgoingEntry]>([])
            let failing = InterceptedLog(
                halves.log,
                appending: { entries in
                    guard entries.contains(where: { $0.key == Array("identity".utf8) }) else { return }
                    late.withLock { $0 = entries }
                    throw LogError.unavailable("in the test")
                })
            let judged = RelayIdentity.Judged()
            let identity = halves.identity(first)
            var confirmed = try await identity.confirm(judged)
            try await Self.save("one", by: first)
            confirmed.published = try await first.store.read { try $0.settledSequence().rawValue }
            let more = confirmed
            try await halves.log.withWriter { writer in
                try await writer.append([identity.entry(more, at: Timestamp(milliseconds: 2))])
            }
            let cut = RelayIdentity(store: first.store, layout: first.layout, log: failing, now: first.now)
            try await first.store.write { try RelayIdentity.keep(more, $0) }
            await #expect(throws: LogError.self) { try await cut.confirm(judged) }
            confirmed = try await identity.confirm(judged)
            try await halves.log.withWriter { try await $0.append(late.withLock { $0 }) }
            try await identity.watch(confirmed, judged)
            try await identity.confirm(judged)
        }
    }

    /// Claims that were begun and not made do not take the place of the accepted one.
    @Test func anOwnerWhoseClaimsFailManyTimesBeginsAgain() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let first = try halves.open("first.sqlite")
            let failing = InterceptedLog(
                halves.log,
                appending: { entries in
                    guard entries.contains(where: { $0.key == Array("identity".utf8) }) else { return }
                    throw LogError.unavailable("in the test")
                })
            let cut = RelayIdentity(store: first.store, layout: first.layout, log: failing, now: first.now)
            for _ in 0..<20 { await #expect(throws: LogError.self) { try await cut.confirm() } }
            #expect(try await first.store.read { try RelayIdentity.claims($0).count } <= 8)
            _ = try await halves.identity(first).confirm()
        }
    }

    @Test func aCopyOfARunningStoreStopsOneOfTheTwo() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let first = try halves.open("first.sqlite")
            let running = Task { await first.run() }
            try await Self.save("one", by: first)
            try await Self.waitUntilPublished(first)
            try halves.copy("first.sqlite", to: "second.sqlite")
            let second = try halves.open("second.sqlite")
            let other = Task { await second.run() }
            let reason = "\(IdentityDifference.otherOwner)"
            try await eventually("a refusal of one of the two") {
                [first, second].contains { $0.refusal?.contains(reason) == true }
            }
            for task in [running, other] {
                task.cancel()
                await task.value
            }
        }
    }

    @Test func twoThatHaveBothPublishedAreBothRefused() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let first = try halves.open("first.sqlite")
            let judged = RelayIdentity.Judged()
            let identity = try await halves.identity(first).confirm(judged)
            var other = identity
            other.owner = 99
            other.published += 5
            let entry = halves.identity(first).entry(other, at: Timestamp(milliseconds: 2))
            try await halves.log.withWriter { try await $0.append([entry]) }
            await #expect(throws: IdentityMismatch.self) {
                try await halves.identity(first).watch(identity, judged)
            }
            // Its own record is the last one again, and it is refused all the same.
            let own = halves.identity(first).entry(identity, at: Timestamp(milliseconds: 3))
            try await halves.log.withWriter { try await $0.append([own]) }
            try await otherOwner(halves, first)
            let repair = StoreRepair(first, log: halves.log)
            try await repair.begin(.repair)
            try await repair.keepIdentity()
            _ = try await halves.identity(first).confirm()
        }
    }

    /// The other one's claim comes first, and what it publishes after this one has compared again.
    @Test func whatWasJudgedIsKeptWhileARelayComparesAgain() async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let first = try halves.open("first.sqlite")
            let judged = RelayIdentity.Judged()
            let identity = try await halves.identity(first).confirm(judged)
            var claimed = identity
            claimed.owner = 99
            var published = claimed
            published.published += 5
            let records = [claimed, published, identity].map {
                halves.identity(first).entry($0, at: Timestamp(milliseconds: 2))
            }
            try await halves.log.withWriter { try await $0.append(records) }
            try await halves.identity(first).watch(identity, judged)
            await #expect(throws: IdentityMismatch.self) { try await halves.identity(first).confirm(judged) }
        }
    }

    @Test("a copy is refused when the owner whose claim it has publishes above its last sequence", arguments: [0, 5])
    func theOwnerGoesOn(above: Int64) async throws {
        try await within {
            let halves = try await Halves()
            try await halves.publishFirst()
            let before = try #require(try await IdentityTopic(log: halves.log, layout: Self.layout).record())
            let copy = try halves.open("first.sqlite")
            let judged = RelayIdentity.Judged()
            let identity = try await halves.identity(copy).confirm(judged)
            var published = before
            published.published = try await copy.store.read { try $0.settledSequence().rawValue } + above
            let entry = halves.identity(copy).entry(published, at: Timestamp(milliseconds: 2))
            try await halves.log.withWriter { try await $0.append([entry]) }
            if above > 0 {
                await #expect(throws: IdentityMismatch.self) {
                    try await halves.identity(copy).watch(identity, judged)
                }
            } else {
                try await halves.identity(copy).watch(identity, judged)
            }
        }
    }
}
