import CloudModel
import RecordStore

/// Values that the rules need to decide on one operation. They are read before, so that deciding asks nobody.
struct RecordFacts {
    /// The name of the record, made by the server where the request has none.
    var name: RecordName
    /// The record as it is, if the caller may see it.
    var existing: RecordImage?
    /// Lines of the records that the operation names: its own, its parent, targets of references. Those that are not there
    /// have none.
    var lines: [RecordName: RecordLine] = [:]
    /// Users who have a record, of those whom references with VALIDATE name.
    var users: Set<UserRecordName> = []
    /// The schema of the type that the operation names, or of the record's.
    var schema: TypeSchema?
    /// Rights on records of types, in the public database.
    var permissions: [RecordType: TypePermissions] = [:]
    /// Other records with a DELETE_SELF reference to a record.
    var cascadingReferrers: [RecordName: Int] = [:]
    /// Levels of records below the record, where it moves.
    var levelsBelow = 0
    /// The files that are kept, of those the operation names.
    var assets: [String: StoredAsset] = [:]
    /// Facts of a save of a share.
    var share: ShareFacts?
    /// Amounts of the users for whom the operation counts.
    var usage = UsageRoom()
}

/// Values that the rules need to decide on the save of a share.
struct ShareFacts {
    /// The short GUID of a new share.
    var newGUID: String
    /// Shares of the zone, and their participants.
    var counts: (shares: Int, participants: Int)
    /// The record that the request names as the top of what is shared.
    var root: RecordImage?
    /// Users of addresses, in lower case.
    var addresses: [String: Addressee] = [:]

    /// The user of an address.
    enum Addressee: Hashable {
        case known(UserRecordName)
        /// A user to be: the record name becomes the user's own who signs in with the address.
        case new(UserRecordName)
    }
}
