extension CKRecord {
    /// Names of system fields, as predicates and sort descriptors take them.
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
        /// The record above.
        public static let parent: CKRecord.FieldKey = "parent"
        /// The share.
        public static let share: CKRecord.FieldKey = "share"
    }
}
