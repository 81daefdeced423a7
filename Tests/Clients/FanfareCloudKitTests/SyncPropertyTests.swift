import FanfareCloudKit
import Foundation
import Synchronization
import TestSupport
import Testing

/// The state of a sync engine against its model, for delegates and services of any kind.
@Suite struct SyncPropertyTests {
    /// The app, its delegate and the service, which do what the model says.
    private final class Player: CKSyncEngineDelegate {
        let model: Mutex<SyncModel>
        private let batch = Mutex<[SyncModel.Change]>([])

        init(seed: UInt64) { model = Mutex(SyncModel(seed: seed)) }

        func add(_ changes: [SyncModel.Change], _ engine: CKSyncEngine) {
            for change in changes {
                model.withLock { $0.add(change) }
                if change.record.isEmpty {
                    let zone = CKRecordZone(zoneName: change.zone)
                    engine.state.add(
                        pendingDatabaseChanges: [change.isDeletion ? .deleteZone(zone.zoneID) : .saveZone(zone)])
                } else {
                    engine.state.add(pendingRecordZoneChanges: [change.pending])
                }
            }
        }

        func remove(_ change: SyncModel.Change, _ engine: CKSyncEngine) {
            model.withLock { $0.remove(change) }
            if change.record.isEmpty {
                let zone = CKRecordZone(zoneName: change.zone)
                engine.state.remove(
                    pendingDatabaseChanges: [change.isDeletion ? .deleteZone(zone.zoneID) : .saveZone(zone)])
            } else {
                engine.state.remove(pendingRecordZoneChanges: [change.pending])
            }
        }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
            switch event {
            case .willSendChanges:
                model.withLock { model in
                    model.begin()
                    model.expectZones()
                }
            case .sentDatabaseChanges(let sent):
                var failed: [String: CKError.Code] = [:]
                for failure in sent.failedZoneSaves { failed[failure.zone.zoneID.zoneName] = failure.error.code }
                for (id, error) in sent.failedZoneDeletes { failed[id.zoneName] = error.code }
                ended(sent.savedZones.map(\.zoneID.zoneName) + sent.deletedZoneIDs.map(\.zoneName), failed, syncEngine)
            case .sentRecordZoneChanges(let sent):
                var failed: [String: CKError.Code] = [:]
                for failure in sent.failedRecordSaves {
                    failed[SyncModel.name(failure.record.recordID)] = failure.error.code
                }
                for (id, error) in sent.failedRecordDeletes { failed[SyncModel.name(id)] = error.code }
                let done = sent.savedRecords.map(\.recordID) + sent.deletedRecordIDs
                ended(done.map { SyncModel.name($0) }, failed, syncEngine)
            default: break
            }
        }

        private func ended(_ done: [String], _ failed: [String: CKError.Code], _ engine: CKSyncEngine) {
            let changes = model.withLock { model in
                let flown = model.inFlight
                model.sent(done: Set(done), failed: failed)
                return model.reaction(to: failed, of: flown)
            }
            add(changes, engine)
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            let own = model.withLock { $0.batch() }
            let pending = own.map { $0.map(\.pending) } ?? syncEngine.state.pendingRecordZoneChanges
            var batch: CKSyncEngine.RecordZoneChangeBatch?
            if own == nil {
                batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: pending) {
                    CKRecord(recordType: "Note", recordID: $0)
                }
            } else {
                batch = CKSyncEngine.RecordZoneChangeBatch(
                    recordsToSave: pending.compactMap { change in
                        if case .saveRecord(let id) = change { CKRecord(recordType: "Note", recordID: id) } else { nil }
                    },
                    recordIDsToDelete: pending.compactMap { if case .deleteRecord(let id) = $0 { id } else { nil } })
            }
            let changes =
                (batch?.recordsToSave ?? []).map { SyncModel.Change(.saveRecord($0.recordID)) }
                + (batch?.recordIDsToDelete ?? []).map { SyncModel.Change(.deleteRecord($0)) }
            model.withLock { $0.expect(changes) }
            return batch
        }
    }

    private static let count =
        ProcessInfo.processInfo.environment["FANFARE_SYNC_STEPS"].flatMap { Int($0) } ?? 5000
    private static let seed =
        ProcessInfo.processInfo.environment["FANFARE_PROPERTY_SEED"].flatMap { UInt64($0) } ?? 1

    @Test("an engine's pending, sent and failed changes are those of the model, whatever delegate and service do")
    func model() async throws {
        print("seed \(Self.seed), \(Self.count) steps")
        let player = Player(seed: Self.seed)
        let service = AnsweringService { sent in player.model.withLock { $0.answer(sent) } }
        var configuration = CKSyncEngine.Configuration(
            database: CKContainer(service).privateCloudDatabase, stateSerialization: nil, delegate: player)
        configuration.automaticallySync = false
        let engine = CKSyncEngine(configuration)
        for step in 0..<Self.count {
            let (isAdding, change) = player.model.withLock { ($0.isAdding(), $0.anyChange()) }
            if step % 4 != 3 {
                if isAdding { player.add([change], engine) } else { player.remove(change, engine) }
                continue
            }
            var thrown: CKError?
            do { try await engine.sendChanges() } catch { thrown = error as? CKError }
            let state =
                engine.state.pendingDatabaseChanges.map { SyncModel.Change($0) }
                + engine.state.pendingRecordZoneChanges.map { SyncModel.Change($0) }
            let faults = player.model.withLock { [thrown] model in
                model.end(thrown)
                model.compare(state)
                return model.faults
            }
            try #require(faults.isEmpty, "seed \(Self.seed), step \(step): \(faults.joined(separator: "\n"))")
        }
        let (requests, failures) = player.model.withLock { ($0.requests, $0.failures) }
        print("\(requests) requests, \(failures) changes failed")
        #expect(requests > Self.count / 8 && failures > Self.count / 16)
    }
}

extension SyncModel.Change {
    var pending: CKSyncEngine.PendingRecordZoneChange { isDeletion ? .deleteRecord(recordID) : .saveRecord(recordID) }
}
