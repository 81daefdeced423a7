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

    /// The zones that are synced.
    public enum Scope: Sendable {
        /// All.
        case all
        /// Some.
        case zoneIDs([CKRecordZone.ID])

        func contains(_ zone: CKRecordZone.ID) -> Bool {
            if case .zoneIDs(let ids) = self { ids.contains(zone) } else { true }
        }
    }

    /// The part that a fetch is for.
    public struct FetchChangesOptions: Sendable {
        /// The zones.
        public var scope: Scope

        /// All zones, or some.
        public init(scope: Scope = .all) { self.scope = scope }
    }

    /// The part that a sending is for.
    public struct SendChangesOptions: Sendable {
        /// The zones.
        public var scope: Scope

        /// All zones, or some.
        public init(scope: Scope = .all) { self.scope = scope }
    }

    /// The reason for which a batch is asked for.
    public struct SendChangesContext: Sendable {
        /// The part that is sent.
        public let options: SendChangesOptions
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

        /// A batch of the first pending changes; nil without any.
        /// - Parameter recordProvider: the record to save; nil leaves it out.
        public init?(
            pendingChanges: [PendingRecordZoneChange],
            recordProvider: @Sendable (CKRecord.ID) async -> CKRecord?
        ) async {
            self.init()
            for change in pendingChanges.prefix(Self.countMax) {
                switch change {
                case .saveRecord(let id): if let record = await recordProvider(id) { recordsToSave.append(record) }
                case .deleteRecord(let id): recordIDsToDelete.append(id)
                }
            }
            if recordsToSave.isEmpty && recordIDsToDelete.isEmpty { return nil }
        }
    }

    /// The things that a delegate is told of.
    public enum Event: Sendable {
        /// The state is another: keep it.
        case stateUpdate(StateUpdate)
        /// Zones changed, were made or went away.
        case fetchedDatabaseChanges(FetchedDatabaseChanges)
        /// Records of a zone changed, were made or deleted.
        case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
        /// Changes of zones were sent.
        case sentDatabaseChanges(SentDatabaseChanges)
        /// Changes of records were sent.
        case sentRecordZoneChanges(SentRecordZoneChanges)
        /// A fetch begins.
        case willFetchChanges
        /// The fetch of a zone begins.
        case willFetchRecordZoneChanges(CKRecordZone.ID)
        /// The fetch of a zone ended.
        case didFetchRecordZoneChanges(CKRecordZone.ID, CKError?)
        /// A fetch ended.
        case didFetchChanges
        /// A sending begins.
        case willSendChanges
        /// A sending ended.
        case didSendChanges

        /// The state is another.
        public struct StateUpdate: Sendable {
            /// The state, with which the next engine begins.
            public let stateSerialization: State.Serialization
        }

        /// Zones changed.
        public struct FetchedDatabaseChanges: Sendable {
            /// Zones that were made, or in which something changed.
            public let modifications: [CKDatabase.DatabaseChange.Modification]
            /// Zones that are gone.
            public let deletions: [CKDatabase.DatabaseChange.Deletion]
        }

        /// Records of a zone changed.
        public struct FetchedRecordZoneChanges: Sendable {
            /// Records that were made or changed.
            public let modifications: [CKDatabase.RecordZoneChange.Modification]
            /// Records that were deleted.
            public let deletions: [CKDatabase.RecordZoneChange.Deletion]
        }

        /// Changes of zones were sent.
        public struct SentDatabaseChanges: Sendable {
            /// Zones that were made.
            public let savedZones: [CKRecordZone]
            /// Zones that could not be made.
            public let failedZoneSaves: [(zone: CKRecordZone, error: CKError)]
            /// Zones that were deleted.
            public let deletedZoneIDs: [CKRecordZone.ID]
            /// Zones that could not be deleted.
            public let failedZoneDeletes: [CKRecordZone.ID: CKError]
        }

        /// Changes of records were sent.
        public struct SentRecordZoneChanges: Sendable {
            /// Records that were saved.
            public let savedRecords: [CKRecord]
            /// Records that could not be saved; they are no longer pending unless the failure may pass.
            public let failedRecordSaves: [(record: CKRecord, error: CKError)]
            /// Records that were deleted.
            public let deletedRecordIDs: [CKRecord.ID]
            /// Records that could not be deleted.
            public let failedRecordDeletes: [CKRecord.ID: CKError]
        }
    }
}
