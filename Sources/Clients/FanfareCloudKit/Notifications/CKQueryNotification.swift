import Foundation

// Set once, as the class above it.
/// A notification of a subscription to a query.
public final class CKQueryNotification: CKNotification, @unchecked Sendable {
    /// The kinds of changes, by CloudKit's numbers.
    public enum Reason: Int, Sendable {
        /// The record was made, or began to satisfy the query.
        case recordCreated = 1
        /// The record was changed.
        case recordUpdated = 2
        /// The record was deleted, or ceased to satisfy the query.
        case recordDeleted = 3
    }

    /// The kind of the change.
    public var queryNotificationReason: Reason { content.reason }
    /// The values of the subscription's `desiredKeys` that the record has.
    public var recordFields: [String: any CKRecordValueProtocol]? {
        content.fields.isEmpty ? nil : content.fields.mapValues(\.value)
    }
    /// The record; nil where a push had no room for it.
    public var recordID: CKRecord.ID? { content.recordID }
    /// The database.
    public var databaseScope: CKDatabase.Scope { content.scope }
    /// True for the public database; deprecated by CloudKit.
    public var isPublicDatabase: Bool { content.scope == .public }
}

// Set once, as the class above it.
/// A notification of a subscription to a zone.
public final class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    /// The zone; nil where a push had no room for it.
    public var recordZoneID: CKRecordZone.ID? { content.zoneID }
    /// The database.
    public var databaseScope: CKDatabase.Scope { content.scope }
}

// Set once, as the class above it.
/// A notification of a subscription to a database.
public final class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    /// The database.
    public var databaseScope: CKDatabase.Scope { content.scope }
}
