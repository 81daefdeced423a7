import CloudMessages
import CloudModel
import EventLog
import MemoryLog
import ProtocolBuffers
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// The service on a store that is no stronger than its port: commits become visible below others.
@Suite("A store that is no stronger than its port") struct WeakStoreTests {
    /// Carol takes part in zones of two owners: the order of one says nothing of the other.
    @Test("a token of the shared database holds nothing above the settled sequence: a late change is listed")
    func sharedTokensAreSettled() async throws {
        try await within {
            let store = try WeakStore(seed: 1)
            let setting = try await SharingSetting(on: store)
            let (rig, carol) = (setting.rig, setting.carol)
            #expect(try await setting.accept(setting.share([(carol, .readOnly)]), as: carol) == nil)
            _ = try await rig.zone(.create, "b", as: rig.bob)
            var share = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
            share.recordType = .share
            share.share = GivenShare(
                root: nil, publicPermission: Share.Permission.none,
                participants: [GivenShare.Participant(user: carol.user!, permission: .readOnly)])
            let shared = try await rig.apply(share, in: .private, zone: "b", as: rig.bob)
            #expect(try await setting.accept(shared, as: carol) == nil)
            try await store.untilSettled()
            let before = try await setting.sharedChanges(carol)
            #expect(before.zones.count == 2)

            let hold = store.holdNextWrite()
            let late = Task { try await setting.save("root") }
            await hold.untilBegun()
            let higher = try await rig.apply(.touch("r"), in: .private, zone: "b", as: rig.bob)
            let meanwhile = try await setting.sharedChanges(carol, since: before.syncToken)
            #expect(meanwhile.zones.map(\.id.name.rawValue) == ["b"], "the other is not there yet")
            hold.release()
            let lower = try await late.value
            #expect(Int(lower.record!.changeTag, radix: 36)! < Int(higher.record!.changeTag, radix: 36)!)
            let after = try await setting.sharedChanges(carol, since: meanwhile.syncToken)
            #expect(after.zones.map(\.id.name.rawValue).contains("a"))
            try await store.untilSettled()
            let last = try await setting.sharedChanges(carol, since: after.syncToken)
            #expect(try await setting.sharedChanges(carol, since: last.syncToken).zones.isEmpty, "and each once, then")
        }
    }

    @Test("a version of a subscription stays while a change that meets it may still be committed")
    func versionsStayForLateChanges() async throws {
        try await within {
            let store = try WeakStore(seed: 2)
            let rig = try await RecordServiceRig(store: store)
            func draft(_ text: String) -> SubscriptionDraft { .draft("s", info: NotificationInfo(alertBody: text)) }
            func kept() async throws -> Int {
                try await store.read { try $0.supersededTotals(of: rig.alice.user!).count }
            }
            _ = try await rig.apply(.create(draft("1")))
            let hold = store.holdNextWrite()
            let late = Task { try await rig.apply(.touch("r")) }
            await hold.untilBegun()
            _ = try await rig.apply(.create(draft("2")))
            #expect(try await kept() == 1)
            hold.release()
            #expect(try await late.value.code == nil)
            try await store.untilSettled()
            let change = try #require(try await rig.changes().first)
            let versions = try await rig.outbox().filter { $0.destination == .subscriptions }
            #expect(versions.count == 2 && versions.allSatisfy { $0.value != nil }, "nothing is taken back")
            #expect(versions[0].sequence < change.sequence && change.sequence < versions[1].sequence)
        }
    }

    /// Only its owner's writes change it, and these are in one order.
    @Test("in a private database a version that no change has met goes at once")
    func privateVersionsGo() async throws {
        let rig = try await RecordServiceRig(store: try WeakStore(seed: 3))
        for text in ["1", "2", "3"] {
            _ = try await rig.apply(.create(.draft("s", info: NotificationInfo(alertBody: text))), in: .private)
        }
        func kept() async throws -> Int {
            try await rig.service.store.read { try $0.supersededTotals(of: rig.alice.user!).count }
        }
        #expect(try await kept() == 0)
        _ = try await rig.apply(.touch("r"), in: .private)
        _ = try await rig.apply(.create(.draft("s", info: NotificationInfo(alertBody: "4"))), in: .private)
        #expect(try await kept() == 1)
    }

    @Test("a change that was committed first names the lower subscription event that came after it")
    func changesNameLateEvents() async throws {
        try await within {
            let store = try WeakStore(seed: 4)
            let rig = try await RecordServiceRig(store: store)
            let layout = rig.service.layout
            let log = try await Relaying.log(layout)
            let hold = store.holdNextWrite()
            let late = Task { try await rig.apply(.create(.draft("s"))) }
            await hold.untilBegun()
            #expect(try await rig.apply(.touch("r")).code == nil)
            hold.release()
            #expect(try await late.value.code == nil)
            try await store.untilSettled()
            let event = try #require(try await rig.outbox().first { $0.destination == .subscriptions }).sequence
            try await Relaying.publish(rig, to: log)
            var named: [CommitSequence] = []
            for number in 0..<layout.partitions {
                let partition = TopicPartition(layout.changes(.public), number)
                for entry in try await log.follow(partition, from: 0).entriesToEnd() {
                    let change = try ChangeEvent(decoding: entry.value!).change()
                    #expect(event < change.sequence)
                    named.append(change.lastSubscription)
                }
            }
            #expect(named == [event])
        }
    }
}
