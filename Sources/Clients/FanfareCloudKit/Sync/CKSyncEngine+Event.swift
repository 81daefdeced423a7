import Foundation

extension CKSyncEngine {
    /// The events that a delegate receives.
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
        /// Another user is signed in, or nobody.
        case accountChange(AccountChange)
        /// A fetch begins.
        case willFetchChanges(WillFetchChanges)
        /// The fetch of a zone begins.
        case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
        /// The fetch of a zone ended.
        case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
        /// A fetch ended.
        case didFetchChanges(DidFetchChanges)
        /// A sending begins.
        case willSendChanges(WillSendChanges)
        /// A sending ended.
        case didSendChanges(DidSendChanges)

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
            /// A zone that could not be made.
            public struct FailedZoneSave: Sendable {
                /// The zone.
                public let zone: CKRecordZone
                /// The reason.
                public let error: CKError
            }

            /// Zones that were made.
            public let savedZones: [CKRecordZone]
            /// Zones that could not be made; they are no longer pending unless the failure may pass.
            public let failedZoneSaves: [FailedZoneSave]
            /// Zones that were deleted.
            public let deletedZoneIDs: [CKRecordZone.ID]
            /// Zones that could not be deleted.
            public let failedZoneDeletes: [CKRecordZone.ID: CKError]
        }

        /// Changes of records were sent.
        public struct SentRecordZoneChanges: Sendable {
            /// A record that could not be saved.
            public struct FailedRecordSave: Sendable {
                /// The record.
                public let record: CKRecord
                /// The reason.
                public let error: CKError
            }

            /// Records that were saved.
            public let savedRecords: [CKRecord]
            /// Records that could not be saved; they are no longer pending unless the failure may pass.
            public let failedRecordSaves: [FailedRecordSave]
            /// Records that were deleted.
            public let deletedRecordIDs: [CKRecord.ID]
            /// Records that could not be deleted.
            public let failedRecordDeletes: [CKRecord.ID: CKError]
        }
    }
}
