import Foundation

extension CKSyncEngine {
    /// The reasons for which the engine does something.
    public enum SyncReason: Sendable {
        /// It is time: something changed, here or there.
        case scheduled
        /// The app asked for it.
        case manual
    }

    /// The part that a fetch is for.
    public struct FetchChangesOptions: Sendable {
        /// The zones of a fetch.
        public enum Scope: Sendable, Hashable {
            /// All.
            case all
            /// All but some.
            case allExcluding([CKRecordZone.ID])
            /// Some.
            case zoneIDs([CKRecordZone.ID])

            /// True for a zone that is fetched.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let ids): !ids.contains(zoneID)
                case .zoneIDs(let ids): ids.contains(zoneID)
                }
            }
        }

        /// The zones.
        public var scope: Scope
        /// The group whose configuration the requests have.
        public var operationGroup: CKOperationGroup
        /// The zones that are fetched before the others, in this order.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// All zones, or some.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }
    }

    /// The part that a sending is for.
    public struct SendChangesOptions: Sendable {
        /// The changes of a sending.
        public enum Scope: Sendable, Hashable {
            /// All.
            case all
            /// All but those of some zones.
            case allExcluding([CKRecordZone.ID])
            /// Those of some zones.
            case zoneIDs([CKRecordZone.ID])
            /// Those of some records.
            case recordIDs([CKRecord.ID])

            /// True for a record whose change is sent.
            public func contains(_ recordID: CKRecord.ID) -> Bool {
                switch self {
                case .recordIDs(let ids): ids.contains(recordID)
                default: contains(zone: recordID.zoneID)
                }
            }

            /// True for a change that is sent.
            public func contains(_ pendingRecordZoneChange: PendingRecordZoneChange) -> Bool {
                contains(pendingRecordZoneChange.recordID)
            }

            /// True for a zone whose own change is sent.
            func contains(zone id: CKRecordZone.ID) -> Bool {
                switch self {
                case .all: true
                case .allExcluding(let ids): !ids.contains(id)
                case .zoneIDs(let ids): ids.contains(id)
                case .recordIDs(let ids): ids.contains { $0.zoneID.isEqual(id) }
                }
            }
        }

        /// The changes.
        public var scope: Scope
        /// The group whose configuration the requests have.
        public var operationGroup: CKOperationGroup

        /// All changes, or some.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            self.scope = scope
            self.operationGroup = operationGroup ?? CKOperationGroup()
        }
    }

    /// A fetch that begins.
    public struct FetchChangesContext: Sendable {
        /// The reason.
        public let reason: SyncReason
        /// The part that is fetched.
        public let options: FetchChangesOptions
    }

    /// A sending, for which a batch is asked.
    public struct SendChangesContext: Sendable {
        /// The reason.
        public let reason: SyncReason
        /// The part that is sent.
        public let options: SendChangesOptions
    }

    /// The database with the configuration of a group.
    func database(_ group: CKOperationGroup) -> CKDatabase {
        guard group.defaultConfiguration.patience != Patience() else { return database }
        return CKDatabase(session: database.session.configured(nil, group), scope: database.databaseScope)
    }
}
