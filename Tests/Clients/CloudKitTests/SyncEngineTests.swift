import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// Two devices whose notes a sync engine keeps the same.
@Suite struct SyncEngineTests {
    /// An app: notes by name, and what it has not sent.
    private actor Notes: CKSyncEngineDelegate {
        let zone: CKRecordZone.ID
        var texts: [String: String] = [:]
        var known: [String: CKRecord] = [:]
        var state: CKSyncEngine.State.Serialization?
        var conflicts = 0

        init(zone: CKRecordZone.ID) { self.zone = zone }

        func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

        func write(_ text: String?, _ name: String, _ engine: CKSyncEngine) {
            texts[name] = text
            engine.state.add(
                pendingRecordZoneChanges: [text == nil ? .deleteRecord(id(name)) : .saveRecord(id(name))])
        }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
            switch event {
            case .stateUpdate(let update): state = update.stateSerialization
            case .fetchedRecordZoneChanges(let changes):
                for change in changes.modifications { take(change.record) }
                for deletion in changes.deletions { texts[deletion.recordID.recordName] = nil }
            case .sentRecordZoneChanges(let sent):
                for record in sent.savedRecords { known[record.recordID.recordName] = record }
                for failure in sent.failedRecordSaves where failure.error.code == .serverRecordChanged {
                    // The device that sends last wins.
                    conflicts += 1
                    known[failure.record.recordID.recordName] = failure.error.serverRecord
                    syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(failure.record.recordID)])
                }
            default: break
            }
        }

        private func take(_ record: CKRecord) {
            known[record.recordID.recordName] = record
            texts[record.recordID.recordName] = record["text"]
        }

        private func record(_ id: CKRecord.ID) -> CKRecord? {
            guard let text = texts[id.recordName] else { return nil }
            let record = known[id.recordName] ?? CKRecord(recordType: "Note", recordID: id)
            record["text"] = text
            return record
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
                await self.record($0)
            }
        }
    }

    /// A delegate that records its events, and fetches by the context.
    private actor Listener: CKSyncEngineDelegate {
        private(set) var called: [String] = []
        private(set) var states: [CKSyncEngine.State.Serialization] = []
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
            switch event {
            case .stateUpdate(let update):
                states.append(update.stateSerialization)
                for continuation in waiting { continuation.resume() }
                waiting = []
            case .accountChange(let change):
                switch change.changeType {
                case .signIn: called.append("sign-in")
                case .signOut: called.append("sign-out")
                case .switchAccounts(let previous, let current): called.append("switch \(previous != current)")
                }
            case .willFetchChanges(let event): called.append("will fetch, \(event.context.reason)")
            case .willFetchRecordZoneChanges(let event): called.append("will fetch \(event.zoneID.zoneName.prefix(1))")
            case .didFetchRecordZoneChanges(let event):
                called.append("did fetch \(event.zoneID.zoneName.prefix(1)) \(event.error == nil)")
            case .didFetchChanges(let event): called.append("did fetch, \(event.context.reason)")
            case .willSendChanges(let event): called.append("will send, \(event.context.reason)")
            case .didSendChanges(let event): called.append("did send, \(event.context.reason)")
            case .sentDatabaseChanges(let sent):
                called.append("zones \(sent.savedZones.count) \(sent.failedZoneSaves.map(\.error.code).count)")
            case .sentRecordZoneChanges(let sent):
                let failed = sent.failedRecordSaves.map { "\($0.record.recordID.recordName) \($0.error.code)" }
                called.append("records \(sent.savedRecords.map(\.recordID.recordName)) \(failed)")
            case .fetchedDatabaseChanges, .fetchedRecordZoneChanges: break
            }
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            let pending = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
            return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) {
                CKRecord(recordType: "Note", recordID: $0)
            }
        }

        func nextFetchChangesOptions(
            _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.FetchChangesOptions {
            var options = context.options
            options.prioritizedZoneIDs = syncEngine.state.zoneIDsWithUnfetchedServerChanges.reversed()
            return options
        }

        /// Waits for so many states.
        func states(_ count: Int) async {
            while states.count < count { await withCheckedContinuation { waiting.append($0) } }
        }

        func take() -> [String] {
            defer { called = [] }
            return called
        }
    }

    private func engine(
        _ listener: Listener, _ container: CKContainer, _ state: CKSyncEngine.State.Serialization? = nil
    ) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: state, delegate: listener)
        configuration.automaticallySync = false
        return CKSyncEngine(configuration)
    }

    @Test("events have the reason and the scope of a sync, and only that scope is sent")
    func events() async throws {
        let devices = try await Devices()
        let listener = Listener()
        let engine = engine(listener, devices.device())
        let (first, second) = (CKRecordZone(zoneName: devices.name("A")), CKRecordZone(zoneName: devices.name("B")))
        let (a, b) = (
            CKRecord.ID(recordName: "a", zoneID: first.zoneID), CKRecord.ID(recordName: "b", zoneID: second.zoneID)
        )
        engine.state.add(pendingDatabaseChanges: [.saveZone(first), .saveZone(second)])
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b)])
        try await engine.sendChanges(.init(scope: .recordIDs([b])))
        #expect(
            await listener.take() == [
                "sign-in", "will send, manual", "zones 1 0", "records [\"b\"] []", "did send, manual",
            ])
        #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(a)])
        try await engine.sendChanges(.init(scope: .allExcluding([second.zoneID]), operationGroup: CKOperationGroup()))
        _ = await listener.take()
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(a)])
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(await listener.take()[1] == "records [] [\"a serverRecordChanged\"]")

        try await engine.fetchChanges(.init(scope: .allExcluding([second.zoneID])))
        #expect(
            await listener.take() == ["will fetch, manual", "will fetch A", "did fetch A true", "did fetch, manual"])
        #expect(engine.state.zoneIDsWithUnfetchedServerChanges == [second.zoneID])
    }

    @Test("a state that the app changes is reported, whether the engine syncs or not")
    func ownChanges() async throws {
        let devices = try await Devices()
        let listener = Listener()
        let engine = engine(listener, devices.device())
        let change = CKSyncEngine.PendingRecordZoneChange.saveRecord(CKRecord.ID(recordName: "a"))
        engine.state.add(pendingRecordZoneChanges: [change])
        try await within { await listener.states(1) }
        engine.state.remove(pendingRecordZoneChanges: [change])
        try await within { await listener.states(2) }
        #expect(await listener.take().isEmpty)
    }

    @Test("an engine with another user reports it, and drops the state of the first one")
    func accounts() async throws {
        let devices = try await Devices()
        let listener = Listener()
        let alices = engine(listener, devices.device(of: "alice"))
        try await alices.fetchChanges()
        #expect(await listener.take().first == "sign-in")
        try await alices.fetchChanges()
        #expect(await listener.take().first == "will fetch, manual")
        let count = await listener.states.count
        alices.state.add(pendingRecordZoneChanges: [.saveRecord(CKRecord.ID(recordName: "a"))])
        try await within { await listener.states(count + 1) }

        let bobs = engine(listener, devices.device(of: "bob"), await listener.states.last)
        try await bobs.fetchChanges()
        #expect(await listener.take().first == "switch true")
        #expect(bobs.state.pendingRecordZoneChanges.isEmpty)
        let nobodys = engine(listener, CKContainer(configuration: devices.configuration()), await listener.states.last)
        await #expect(throws: CKError.self) { try await nobodys.fetchChanges() }
        #expect(await listener.take().first == "sign-out")
    }

    @Test("two devices come to the same notes, over restarts and conflicts")
    func syncing() async throws {
        let devices = try await Devices()
        let zone = CKRecordZone(zoneName: devices.name("Notes"))
        let (first, second) = (Notes(zone: zone.zoneID), Notes(zone: zone.zoneID))
        func engine(_ notes: Notes, _ device: String) async -> CKSyncEngine {
            var configuration = CKSyncEngine.Configuration(
                database: devices.device(device).privateCloudDatabase, stateSerialization: await notes.state,
                delegate: notes)
            configuration.automaticallySync = false
            return CKSyncEngine(configuration)
        }
        let phone = await engine(first, "phone")
        phone.state.add(pendingDatabaseChanges: [.saveZone(zone)])
        await first.write("one", "a", phone)
        await first.write("two", "b", phone)
        try await phone.sendChanges()
        // From here on the phone gets deletions, too.
        try await phone.fetchChanges()
        #expect(phone.state.pendingRecordZoneChanges.isEmpty && phone.state.pendingDatabaseChanges.isEmpty)

        let pad = await engine(second, "pad")
        try await pad.fetchChanges()
        #expect(await second.texts == ["a": "one", "b": "two"])
        await second.write("uno", "a", pad)
        await second.write(nil, "b", pad)
        await first.write("ONE", "a", phone)
        try await phone.sendChanges()
        await #expect(throws: CKError.self) { try await pad.sendChanges() }
        #expect(await second.conflicts == 1)
        #expect(pad.state.pendingRecordZoneChanges.count == 1)
        try await pad.sendChanges()

        // A restart continues from the state, with the unsent changes.
        let data = try JSONEncoder().encode(await first.state)
        #expect(try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data) as Any? != nil)
        let restarted = await engine(first, "phone")
        try await restarted.fetchChanges()
        #expect(await first.texts == ["a": "uno"])
        #expect(await first.texts == second.texts)
    }
}
