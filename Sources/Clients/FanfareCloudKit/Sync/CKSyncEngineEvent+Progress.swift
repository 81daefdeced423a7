import Foundation

extension CKSyncEngine.Event {
    /// Another user is signed in, or nobody.
    public struct AccountChange: Sendable {
        /// The ways in which it changed.
        public enum ChangeType: Sendable, Hashable {
            /// A user signed in for the first time since the state was created. Pending changes stay.
            case signIn(currentUser: CKRecord.ID)
            /// The user signed out; the state is reset.
            case signOut(previousUser: CKRecord.ID)
            /// Another user signed in; the state is reset.
            case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
        }

        /// The way in which it changed.
        public let changeType: ChangeType
    }

    /// A fetch begins.
    public struct WillFetchChanges: Sendable {
        /// The fetch.
        public let context: CKSyncEngine.FetchChangesContext
    }

    /// The fetch of a zone begins.
    public struct WillFetchRecordZoneChanges: Sendable {
        /// The zone.
        public let zoneID: CKRecordZone.ID
    }

    /// The fetch of a zone ended.
    public struct DidFetchRecordZoneChanges: Sendable {
        /// The zone.
        public let zoneID: CKRecordZone.ID
        /// The reason for which it ended too early; nil where all was fetched.
        public let error: CKError?
    }

    /// A fetch ended.
    public struct DidFetchChanges: Sendable {
        /// The fetch.
        public let context: CKSyncEngine.FetchChangesContext
    }

    /// A sending begins.
    public struct WillSendChanges: Sendable {
        /// The sending.
        public let context: CKSyncEngine.SendChangesContext
    }

    /// A sending ended.
    public struct DidSendChanges: Sendable {
        /// The sending.
        public let context: CKSyncEngine.SendChangesContext
    }
}
