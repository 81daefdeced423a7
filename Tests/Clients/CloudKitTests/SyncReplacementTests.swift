import FanfareCloudKit
import Foundation
import Testing

/// An app that makes its engine twice, as Apple's sample of the engine does when it starts: once on first use, and once
/// in a task that begins late.
@Suite struct SyncReplacementTests {
    /// An app with one note, which it sends when an account is there.
    private actor App: CKSyncEngineDelegate {
        let database: CKDatabase
        let zone: CKRecordZone
        let noteID: CKRecord.ID
        /// True to make the engine once more when the account is reported.
        var replaces: Bool
        private(set) var engine: CKSyncEngine?
        private(set) var fetched: Set<String> = []

        init(_ notes: NoteZone, name: String, replaces: Bool) {
            database = notes.devices.device(name).privateCloudDatabase
            zone = CKRecordZone(zoneName: notes.devices.name("App"))
            noteID = CKRecord.ID(zoneID: zone.zoneID)
            self.replaces = replaces
        }

        @discardableResult
        func start() -> CKSyncEngine {
            var configuration = CKSyncEngine.Configuration(
                database: database, stateSerialization: nil, delegate: self)
            configuration.automaticallySync = false
            let engine = CKSyncEngine(configuration)
            self.engine = engine
            return engine
        }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) {
            switch event {
            case .accountChange:
                if replaces { start() }
                replaces = false
                engine?.state.add(pendingDatabaseChanges: [.saveZone(zone)])
                engine?.state.add(pendingRecordZoneChanges: [.saveRecord(noteID)])
            case .fetchedRecordZoneChanges(let changes):
                for change in changes.modifications { fetched.insert(change.record.recordID.recordName) }
            default: break
            }
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
                CKRecord(recordType: "Note", recordID: $0)
            }
        }
    }

    @Test(
        "a send goes on with the engine that replaced its own before the first sync",
        arguments: [
            false, true,
        ])
    func sends(replaces: Bool) async throws {
        let app = App(try await NoteZone(), name: "phone", replaces: replaces)
        let first = await app.start()
        first.state.add(pendingRecordZoneChanges: [.saveRecord(app.noteID)])
        try await first.sendChanges()
        let engine = try #require(await app.engine)
        #expect((engine !== first) == replaces && engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(engine.state.pendingDatabaseChanges.isEmpty)
        #expect(try await app.database.record(for: app.noteID).recordType == "Note")
    }

    @Test("a fetch goes on with the engine that replaced its own before the first sync")
    func fetches() async throws {
        let notes = try await NoteZone()
        let app = App(notes, name: "phone", replaces: true)
        try await app.start().fetchChanges()
        try await notes.database.save(notes.note("note"))
        let engine = try #require(await app.engine)
        try await engine.fetchChanges()
        #expect(await app.fetched == ["note"] && engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
    }

    @Test("changes that were added to an engine before it was replaced are sent, once")
    func movesChanges() async throws {
        let notes = try await NoteZone()
        let app = App(notes, name: "phone", replaces: false)
        let (first, second) = (await app.start(), await app.start())
        let own = CKRecordZone(zoneName: notes.devices.name("Own"))
        first.state.add(pendingDatabaseChanges: [.saveZone(own)])
        try await first.sendChanges()
        for engine in [first, second] { #expect(engine.state.pendingDatabaseChanges.isEmpty) }
        #expect(try await notes.database.recordZone(for: own.zoneID).zoneID == own.zoneID)
    }

    @Test("an engine of another app, and one that was replaced after its first sync, does its own work")
    func keepsItsOwn() async throws {
        let notes = try await NoteZone()
        let app = App(notes, name: "phone", replaces: false)
        let first = await app.start()
        try await first.sendChanges()
        let second = await app.start()
        let other = await App(notes, name: "phone", replaces: false).start()
        for engine in [first, other] {
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: notes.devices.name("Own")))])
            second.state.add(pendingDatabaseChanges: [.deleteZone(CKRecordZone.ID(zoneName: "none"))])
            try await engine.sendChanges()
            #expect(engine.state.pendingDatabaseChanges.isEmpty && second.state.pendingDatabaseChanges.count == 1)
        }
    }
}
