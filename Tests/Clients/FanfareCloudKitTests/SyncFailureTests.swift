import FanfareCloudKit
import Foundation
import Synchronization
import TestSupport
import Testing

/// A sync engine whose changes fail, in the shape of the tests that apps write for theirs: a send throws after its
/// events, and what the delegate adds in an event waits for the next send.
@Suite struct SyncFailureTests {
    /// A delegate that notes failures, and adds failed changes again or not.
    private final class Notes: CKSyncEngineDelegate {
        struct State {
            var events: [String] = []
            var failed: [String: CKError] = [:]
        }

        let state = Mutex(State())
        typealias Reaction = @Sendable (CKSyncEngine.PendingRecordZoneChange, CKError, CKSyncEngine) async -> Void
        private let onFailure: Reaction

        init(_ onFailure: @escaping Reaction = { _, _, _ in }) { self.onFailure = onFailure }

        /// The delegate of most apps.
        static func again() -> Notes {
            Notes { change, error, engine in
                if error.code == .zoneNotFound {
                    let id: CKRecord.ID =
                        switch change {
                        case .saveRecord(let id), .deleteRecord(let id): id
                        }
                    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
                }
                engine.state.add(pendingRecordZoneChanges: [change])
            }
        }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
            switch event {
            case .willSendChanges: note("will")
            case .didSendChanges: note("did")
            case .sentDatabaseChanges(let sent): note("zones \(sent.savedZones.count) \(sent.failedZoneSaves.count)")
            case .sentRecordZoneChanges(let sent):
                note(
                    "records \(sent.savedRecords.count + sent.deletedRecordIDs.count) \(sent.failedRecordSaves.count + sent.failedRecordDeletes.count)"
                )
                for failure in sent.failedRecordSaves {
                    await fail(.saveRecord(failure.record.recordID), failure.error, syncEngine)
                }
                for (id, error) in sent.failedRecordDeletes { await fail(.deleteRecord(id), error, syncEngine) }
            default: break
            }
        }

        private func note(_ text: String) { state.withLock { $0.events.append(text) } }

        private func fail(
            _ change: CKSyncEngine.PendingRecordZoneChange, _ error: CKError, _ engine: CKSyncEngine
        ) async {
            let id: CKRecord.ID =
                switch change {
                case .saveRecord(let id), .deleteRecord(let id): id
                }
            state.withLock { $0.failed[id.recordName] = error }
            await onFailure(change, error, engine)
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: syncEngine.state.pendingRecordZoneChanges) {
                CKRecord(recordType: "Note", recordID: $0)
            }
        }

        func takeEvents() -> [String] {
            state.withLock { state in
                defer { state.events = [] }
                return state.events
            }
        }
    }

    private func engine(
        _ service: AnsweringService, _ notes: Notes, isAutomatic: Bool = false
    ) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(
            database: CKContainer(service).privateCloudDatabase, stateSerialization: nil, delegate: notes)
        configuration.automaticallySync = isAutomatic
        return CKSyncEngine(configuration)
    }

    private let zone = CKRecordZone.ID(zoneName: "Notes")

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }

    /// A failure: the service's answer, CloudKit's code, and whether the change stays pending by itself.
    struct Failure: Sendable, CustomTestStringConvertible {
        var code: String
        var members = ""
        /// The status of a refused request; nil for an item.
        var status: Int?
        var expected: CKError.Code
        var isKept = false
        /// The code that is thrown.
        var thrown = CKError.Code.partialFailure
        /// The requests of a send: a sign-in that has ended is begun again.
        var requests = 1

        var testDescription: String { "\(code)\(members), \(expected)" }

        static let all = [
            Failure(code: "CONFLICT", expected: .serverRecordChanged),
            Failure(code: "EXISTS", expected: .serverRecordChanged),
            Failure(code: "NOT_FOUND", expected: .unknownItem),
            Failure(code: "ZONE_NOT_FOUND", expected: .zoneNotFound),
            Failure(code: "ZONE_NOT_FOUND", status: 404, expected: .zoneNotFound),
            Failure(code: "ATOMIC_ERROR", expected: .batchRequestFailed),
            Failure(code: "VALIDATING_REFERENCE_ERROR", expected: .referenceViolation),
            Failure(code: "QUOTA_EXCEEDED", members: limit("storage"), expected: .quotaExceeded),
            Failure(code: "QUOTA_EXCEEDED", members: limit("request"), expected: .limitExceeded),
            Failure(
                code: "QUOTA_EXCEEDED", members: limit("request"), status: 413, expected: .limitExceeded,
                thrown: .limitExceeded),
            Failure(code: "ACCESS_DENIED", expected: .permissionFailure),
            Failure(code: "ACCESS_DENIED", status: 403, expected: .permissionFailure),
            Failure(code: "BAD_REQUEST", expected: .invalidArguments),
            Failure(code: "BAD_REQUEST", status: 400, expected: .invalidArguments, thrown: .invalidArguments),
            Failure(code: "INTERNAL_ERROR", expected: .internalError),
            Failure(code: "TRY_AGAIN_LATER", expected: .serviceUnavailable, isKept: true),
            Failure(code: "THROTTLED", expected: .requestRateLimited, isKept: true),
            Failure(
                code: "THROTTLED", status: 429, expected: .requestRateLimited, isKept: true, thrown: .requestRateLimited
            ),
            Failure(
                code: "AUTHENTICATION_FAILED", status: 401, expected: .notAuthenticated, isKept: true,
                thrown: .notAuthenticated, requests: 2),
        ]

        private static func limit(_ subject: String) -> String {
            #", "limit": {"name": "a", "value": 1, "of": "\#(subject)"}"#
        }
    }

    @Test(
        "a failed change is an event, then thrown, and sent again once, by the delegate that adds it again",
        arguments: Failure.all, [false, true])
    func failure(_ failure: Failure, isDeletion: Bool) async throws {
        let isBroken = Mutex(true)
        let service = AnsweringService { sent in
            guard isBroken.withLock({ $0 }), sent.zone != nil else { return .items([String: String]()) }
            if let status = failure.status { return .refused(status, failure.code, failure.members) }
            return .items(["a": (code: failure.code, members: failure.members)])
        }
        let notes = Notes.again()
        let engine = engine(service, notes)
        let change: CKSyncEngine.PendingRecordZoneChange = isDeletion ? .deleteRecord(id("a")) : .saveRecord(id("a"))
        engine.state.add(pendingRecordZoneChanges: [change])
        let thrown = await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(thrown?.code == failure.thrown)
        if failure.thrown == .partialFailure {
            #expect((thrown?.partialErrorsByItemID?[id("a")] as? CKError)?.code == failure.expected)
        }
        #expect(notes.state.withLock { $0.failed["a"]?.code } == failure.expected)
        #expect(notes.takeEvents() == ["will", "records 0 1", "did"])
        #expect(service.sent.count == failure.requests)
        #expect(engine.state.pendingRecordZoneChanges == [change])

        isBroken.withLock { $0 = false }
        try await engine.sendChanges()
        let zones = failure.expected == .zoneNotFound ? ["zones 1 0"] : []
        #expect(notes.takeEvents() == ["will"] + zones + ["records 1 0", "did"])
        #expect(
            service.sent.count == failure.requests + zones.count + 1 && engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test(
        "a failed change is pending no more, unless it may succeed without the app's help", arguments: Failure.all)
    func kept(_ failure: Failure) async throws {
        let service = AnsweringService { _ in
            if let status = failure.status { return .refused(status, failure.code, failure.members) }
            return .items(["a": (code: failure.code, members: failure.members)])
        }
        let engine = engine(service, Notes())
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a")), .saveRecord(id("b"))])
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        let isWhole = failure.status != nil
        #expect(
            engine.state.pendingRecordZoneChanges
                == (failure.isKept ? [.saveRecord(id("a"))] + (isWhole ? [.saveRecord(id("b"))] : []) : []))
    }

    @Test("all records of a zone that is gone fail in one send, and the next makes it and saves them")
    func zoneIsGone() async throws {
        let isThere = Mutex(false)
        let service = AnsweringService { sent in
            if sent.zone == nil { isThere.withLock { $0 = true } }
            return isThere.withLock { $0 } ? .items([String: String]()) : .refused(404, "ZONE_NOT_FOUND")
        }
        let notes = Notes.again()
        let engine = engine(service, notes)
        engine.state.add(pendingRecordZoneChanges: (0..<450).map { .saveRecord(id("\($0)")) })
        let thrown = await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(thrown?.partialErrorsByItemID?.count == 450)
        let names = service.sent.flatMap(\.names)
        #expect(names.count == 450 && Set(names).count == 450)
        #expect(engine.state.pendingRecordZoneChanges.count == 450 && engine.state.pendingDatabaseChanges.count == 1)
        try await engine.sendChanges()
        #expect(service.sent.flatMap(\.names).count == 901)
        #expect(engine.state.pendingRecordZoneChanges.isEmpty && engine.state.pendingDatabaseChanges.isEmpty)
    }

    @Test("a change that an app adds while an older one of its record is sent is sent next, whatever became of that")
    func changedInFlight() async throws {
        let box = Mutex<CKSyncEngine?>(nil)
        let id = id("a")
        let service = AnsweringService { sent in
            if sent.saves == ["a"] { box.withLock { $0 }?.state.add(pendingRecordZoneChanges: [.deleteRecord(id)]) }
            return .items([String: String]())
        }
        let engine = engine(service, Notes())
        box.withLock { $0 = engine }
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordZoneChanges == [.deleteRecord(id)])
        try await engine.sendChanges()
        #expect(service.sent.map(\.deletes) == [[], ["a"]] && engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("what an app adds in an event is sent by the next send, also another record")
    func addedInEvent() async throws {
        let other = id("other")
        let service = AnsweringService { _ in .items(["a": "CONFLICT"]) }
        let notes = Notes { _, _, engine in engine.state.add(pendingRecordZoneChanges: [.saveRecord(other)]) }
        let engine = engine(service, notes)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(service.sent.count == 1 && engine.state.pendingRecordZoneChanges == [.saveRecord(other)])
        try await engine.sendChanges()
        #expect(service.sent.map(\.saves) == [["a"], ["other"]])
    }

    @Test("a delegate that waits for its engine gets an error, and one that calls it in a task is served afterwards")
    func callsWithinEvents() async throws {
        let service = AnsweringService { _ in .items(["a": "CONFLICT"]) }
        let errors = Mutex<[CKError.Code]>([])
        let later = Mutex<Task<Void, any Error>?>(nil)
        let other = id("other")
        let notes = Notes({ _, _, engine in
            let first = await #expect(throws: CKError.self) { try await engine.sendChanges() }
            let second = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
            errors.withLock { $0 = [first, second].compactMap { $0?.code } }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(other)])
            later.withLock { $0 = Task { try await engine.sendChanges() } }
        })
        let engine = engine(service, notes)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        let thrown = await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(thrown?.code == .partialFailure)
        #expect(errors.withLock { $0 } == [.invalidArguments, .invalidArguments])
        try await later.withLock { $0 }?.value
        #expect(service.sent.map(\.saves) == [["a"], ["other"]])
    }

    @Test("a delegate may cancel the operation that calls it")
    func cancelsWithinEvents() async throws {
        let service = AnsweringService { _ in .items(["a": "CONFLICT"]) }
        let notes = Notes({ _, _, engine in await engine.cancelOperations() })
        let engine = engine(service, notes)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect(service.sent.count == 1)
    }

    @Test("zones that cannot be made are events and thrown, and their records are still tried")
    func zones() async throws {
        let service = AnsweringService { sent in
            sent.zone == nil ? .items(["Notes": "QUOTA_EXCEEDED"]) : .refused(404, "ZONE_NOT_FOUND")
        }
        let notes = Notes()
        let engine = engine(service, notes)
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zone))])
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
        let thrown = await #expect(throws: CKError.self) { try await engine.sendChanges() }
        #expect((thrown?.partialErrorsByItemID?[zone] as? CKError)?.code == .quotaExceeded)
        #expect((thrown?.partialErrorsByItemID?[id("a")] as? CKError)?.code == .zoneNotFound)
        #expect(notes.takeEvents() == ["will", "zones 0 1", "records 0 1", "did"])
        #expect(engine.state.pendingDatabaseChanges.isEmpty && engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("an engine that syncs by itself pauses longer each time before it sends a failed change again")
    func automatic() async throws {
        let isBroken = Mutex(true)
        let service = AnsweringService { sent in
            isBroken.withLock { $0 } && sent.zone == "Notes" ? .items(["a": "CONFLICT"]) : .items([String: String]())
        }
        let time = ManualTime()
        let notes = Notes.again()
        let engine = await time.bound {
            let engine = self.engine(service, notes, isAutomatic: true)
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(id("a"))])
            return engine
        }
        for count in 1...8 {
            await time.pauses(atLeast: count)
            #expect(service.sent.count == count)
            let seconds = min(64, pow(2, Double(count - 1)))
            #expect(
                time.pauses[count - 1] >= .seconds(seconds * 0.5) && time.pauses[count - 1] <= .seconds(seconds * 1.5))
            if count == 8 { isBroken.withLock { $0 = false } }
            time.advance(by: .seconds(100))
        }
        try await eventually("the change is sent") { engine.state.pendingRecordZoneChanges.isEmpty }
        #expect(service.sent.count == 9)
    }
}
