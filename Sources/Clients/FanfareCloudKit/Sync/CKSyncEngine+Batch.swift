import Foundation

extension CKSyncEngine {
    /// The beginnings of an engine.
    public struct Configuration: Sendable {
        /// The database.
        public var database: CKDatabase
        /// The state that the last engine ended with; nil is the start.
        public var stateSerialization: State.Serialization?
        /// The app's side.
        public var delegate: any CKSyncEngineDelegate
        /// True to sync whenever something changed, here or there.
        public var automaticallySync = true
        /// The ID of the subscription by which the engine hears of changes; nil is one of its own.
        public var subscriptionID: CKSubscription.ID?

        /// A configuration.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }
    }

    /// Changes of records that are sent together.
    public struct RecordZoneChangeBatch: Sendable {
        /// The most changes of a batch.
        static let countMax = 200
        /// The records to save.
        public var recordsToSave: [CKRecord]
        /// The records to delete.
        public var recordIDsToDelete: [CKRecord.ID]
        /// True to save all records of a zone or none.
        public var atomicByZone: Bool

        /// A batch of these.
        public init(
            recordsToSave: [CKRecord] = [], recordIDsToDelete: [CKRecord.ID] = [], atomicByZone: Bool = false
        ) {
            self.recordsToSave = recordsToSave
            self.recordIDsToDelete = recordIDsToDelete
            self.atomicByZone = atomicByZone
        }

        /// A batch of the first pending changes, as many as may be sent together: 200, and 2 MiB of values without files;
        /// nil without any. Those that the running send has sent, or that were added since it began, are left out.
        /// - Parameter recordProvider: the record to save; nil leaves it out. It is called again, for the next batch, for
        ///   a record that this one has no room for.
        public init?(
            pendingChanges: [PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            var bytes = 0
            for change in pendingChanges where SyncSend.changes?.isOpen(change.recordID) != false {
                guard recordsToSave.count + recordIDsToDelete.count < Self.countMax else { break }
                switch change {
                case .deleteRecord(let id): recordIDsToDelete.append(id)
                case .saveRecord(let id):
                    guard let record = await recordProvider(id) else { continue }
                    bytes += OperationLimit.bytes(of: record, .ifServerRecordUnchanged)
                    // The first one is sent, however large it is.
                    let isFull = bytes > OperationLimit.bytesMax && !recordsToSave.isEmpty
                    if isFull { return }
                    recordsToSave.append(record)
                }
            }
            if recordsToSave.isEmpty && recordIDsToDelete.isEmpty { return nil }
        }
    }
}
