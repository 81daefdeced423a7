extension CKRecord {
    /// The names of system fields in predicates and sort descriptors.
    public enum SystemFieldKey {
        /// The record's name.
        public static let recordID: CKRecord.FieldKey = "recordID"
        /// The time of the first save.
        public static let creationDate: CKRecord.FieldKey = "creationDate"
        /// The user who saved first.
        public static let creatorUserRecordID: CKRecord.FieldKey = "creatorUserRecordID"
        /// The time of the last save.
        public static let modificationDate: CKRecord.FieldKey = "modificationDate"
        /// The user who saved last.
        public static let lastModifiedUserRecordID: CKRecord.FieldKey = "lastModifiedUserRecordID"
        /// The parent record.
        public static let parent: CKRecord.FieldKey = "parent"
        /// The share.
        public static let share: CKRecord.FieldKey = "share"
    }
}

/// The older name of `CKRecord.SystemFieldKey.recordID`.
public let CKRecordRecordIDKey = CKRecord.SystemFieldKey.recordID
/// The older name of `CKRecord.SystemFieldKey.creationDate`.
public let CKRecordCreationDateKey = CKRecord.SystemFieldKey.creationDate
/// The older name of `CKRecord.SystemFieldKey.creatorUserRecordID`.
public let CKRecordCreatorUserRecordIDKey = CKRecord.SystemFieldKey.creatorUserRecordID
/// The older name of `CKRecord.SystemFieldKey.modificationDate`.
public let CKRecordModificationDateKey = CKRecord.SystemFieldKey.modificationDate
/// The older name of `CKRecord.SystemFieldKey.lastModifiedUserRecordID`.
public let CKRecordLastModifiedUserRecordIDKey = CKRecord.SystemFieldKey.lastModifiedUserRecordID
/// The older name of `CKRecord.SystemFieldKey.parent`.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent
/// The older name of `CKRecord.SystemFieldKey.share`.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share
/// The older name of `CKRecord.SystemType.userRecord`.
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord
/// The older name of `CKRecord.SystemType.share`.
public let CKRecordTypeShare = CKRecord.SystemType.share
