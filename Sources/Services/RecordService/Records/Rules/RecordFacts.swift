import CloudModel
import RecordStore

/// Values that the rules need to decide on one operation. They are read before, so that deciding asks nobody.
struct RecordFacts {
    /// The name of the record, made by the server where the request has none.
    var name: RecordName
    /// The record as it is, if the caller may see it.
    var existing: RecordImage?
    /// True if there is a record of the name that the caller may not see. Nothing but the refusal of a new record of
    /// the name may depend on it.
    var isTaken = false
    /// Rows of the records that the operation names: its own, its parent, targets of references. Missing ones have
    /// none, nor have those that the caller may not read in the public database.
    var lines: [RecordName: RecordLine] = [:]
    /// Records that the rest of the request saves, if it saves this one.
    var coming: Set<RecordName> = []
    /// False if the record's new parent is in the public database, and the caller may not write it.
    var isParentWritable = true
    /// Users who have a record that the caller may read, of those whom references with VALIDATE name.
    var users: Set<UserRecordName> = []
    /// The schema of the type that the operation names, or of the record's.
    var schema: TypeSchema?
    /// The indexes of that type.
    var indexing: RecordIndexing?
    /// The long texts of the operation.
    var cuts: [FieldName: RecordIndexing.CutTexts] = [:]
    /// Rights on records of types, in the public database.
    var permissions: [RecordType: TypePermissions] = [:]
    /// Other records with a DELETE_SELF reference to a record; in the public database those of the same creator.
    var cascadingReferrers: [RecordName: Int] = [:]
    /// Levels of records below the record, where it moves; in the public database those of the same creator.
    var levelsBelow = 0
    /// The files that are kept, of those the operation names.
    var assets: [String: StoredAsset] = [:]
    /// Facts of a save of a share.
    var share: ShareFacts?
    /// The share that a record comes below when it moves, where it has a share or one is below it.
    var gainedShare: RecordName?
    /// Amounts of the users for whom the operation counts.
    var usage = UsageRoom()
}

/// Values that the rules need to decide on the save of a share.
struct ShareFacts {
    /// The short GUID of a new share.
    var newGUID: String
    /// Shares of the zone, and their participants.
    var counts: (shares: Int, participants: Int)
    /// The record that the request names as the root of a share.
    var root: RecordImage?
    /// A share of the root of a new share, of a record above or below it, or of the zone.
    var present: RecordName?
    /// Users of addresses.
    var addresses: [EmailAddress: Addressee] = [:]

    /// The user of an address.
    enum Addressee: Hashable {
        case known(UserRecordName)
        /// A future user: the record name becomes that of the user who signs in with the address.
        case new(UserRecordName)
    }
}
