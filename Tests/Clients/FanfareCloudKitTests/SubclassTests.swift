import FanfareCloudKit
import Foundation
import Synchronization
import TestSupport
import Testing

/// Classes that apps derive from operations, in the ways that code of many years does it.
@Suite struct SubclassTests {
    /// Sets its properties when the queue begins it.
    private final class Upload: CKModifyRecordsOperation, @unchecked Sendable {
        override func main() {
            savePolicy = .changedKeys
            super.main()
        }
    }

    /// Sets its blocks when it is made.
    private class Fetch: CKFetchRecordsOperation, @unchecked Sendable {
        let done: @Sendable (Int, (any Error)?) -> Void

        init(_ ids: [CKRecord.ID], done: @escaping @Sendable (Int, (any Error)?) -> Void) {
            self.done = done
            super.init()
            recordIDs = ids
            fetchRecordsCompletionBlock = { [unowned self] records, error in self.done(records?.count ?? 0, error) }
        }
    }

    /// Counts calls of what a queue calls.
    private final class Counting: CKFetchRecordZonesOperation, @unchecked Sendable {
        let calls = Mutex<[String]>([])

        override init() {
            super.init()
            qualityOfService = .userInitiated
        }

        override func start() {
            calls.withLock { $0.append("start") }
            super.start()
        }

        override func main() {
            calls.withLock { $0.append("main") }
            // Code that first asks for something else does so.
            DispatchQueue.global().async { super.main() }
        }

        override func cancel() {
            calls.withLock { $0.append("cancel") }
            super.cancel()
        }

        override var isAsynchronous: Bool { super.isAsynchronous }
    }

    /// An operation of an app's own, below the classes that CloudKit means to be derived from.
    private final class Own: CKDatabaseOperation, @unchecked Sendable {
        override var database: CKDatabase? {
            get { super.database }
            set { super.database = newValue }
        }
    }

    @Test("a derived operation sets its properties in main, and its blocks in init")
    func properties() async throws {
        let service = AnsweringService { _ in .items([String: String]()) }
        let database = CKContainer(service).privateCloudDatabase
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
        try await within {
            await withCheckedContinuation { continuation in
                let upload = Upload(recordsToSave: [record], recordIDsToDelete: nil)
                upload.modifyRecordsResultBlock = { _ in continuation.resume() }
                database.add(upload)
            }
            let count = await withCheckedContinuation { continuation in
                database.add(Fetch([record.recordID]) { count, _ in continuation.resume(returning: count) })
            }
            #expect(count == 1)
        }
        #expect(service.sent.map(\.saves) == [["a"]])
        let own = Own()
        own.database = database
        #expect(own.database === database)
    }

    @Test("a derived operation gets every call that a queue makes, and may begin its work later")
    func calls() async throws {
        let service = AnsweringService { _ in .items([String: String]()) }
        let operation = Counting()
        operation.recordZoneIDs = []
        operation.database = CKContainer(service).privateCloudDatabase
        let result = try await within {
            await withCheckedContinuation { continuation in
                operation.fetchRecordZonesResultBlock = { continuation.resume(returning: $0.map { true }) }
                OperationQueue().addOperation(operation)
            }
        }
        #expect((try? result.get()) == true)
        try await eventually("the operation ends") { operation.isFinished }
        operation.cancel()
        #expect(operation.calls.withLock { $0 } == ["start", "main", "cancel"])
    }

    @Test("an error code of the current SDK is there, by its number")
    func code() {
        #expect(CKError.Code.participantAlreadyInvited.rawValue == 37)
        #expect(CKError.participantAlreadyInvited == CKError.Code.participantAlreadyInvited)
    }
}
