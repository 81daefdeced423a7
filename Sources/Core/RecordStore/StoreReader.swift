package import CloudModel

/// Reads of a store. All answers of one closure come from one consistent state.
package protocol StoreReader: CascadeReader, QueryReader, SchemaReader, ZoneReader, ShareReader, IdentityReader,
    AssetReader, CourierReader, CredentialReader, UsageReader, AccountReader, SubscriptionCostReader, BatchReader,
    ContinuityReader, CreatorReader, BackfillReader, PushAddressReader, OperatorActionReader, PolicyReader
{
    /// Bytes that the closure has moved so far: what it read and wrote, and a price for each row and word.
    var movedBytes: Int { get }

    /// A record; nil when there is none.
    func record(_ id: RecordID) throws -> StoredRecord?

    /// The fields of a record type, as the schema knows them; nil when it does not know the type.
    func fieldTypes(of type: RecordType) throws -> [FieldName: FieldType]?

    /// A subscription; nil when there is none.
    func subscription(_ key: SubscriptionKey) throws -> StoredSubscription?

    /// All subscriptions of a user in a database, by ID.
    func subscriptions(of user: UserRecordName, in database: DatabaseScope) throws -> [StoredSubscription]

    /// The ID of the user's subscription with an encoded condition; nil when there is none.
    func subscriptionID(
        of user: UserRecordName, in database: DatabaseScope, condition: [UInt8]
    ) throws -> SubscriptionID?

    /// The number of a user's subscriptions in a database.
    func subscriptionCount(of user: UserRecordName, in database: DatabaseScope) throws -> Int

    /// The bytes of a user's subscriptions in a database, encoded.
    func subscriptionBytes(of user: UserRecordName, in database: DatabaseScope) throws -> Int

    /// Versions superseded before a time, oldest first.
    func supersededVersions(before time: Timestamp, limit: Int) throws -> [SupersededVersion]

    /// The superseded versions of all subscriptions of a user.
    func supersededTotals(of user: UserRecordName) throws -> SupersededTotals

    /// The superseded versions of one subscription after a sequence, in order.
    func supersededVersions(of key: SubscriptionKey, after sequence: CommitSequence) throws -> [SupersededVersion]

    /// The sequence of the last change that a user's subscriptions in a database may meet, or a higher one; of no
    /// change before that was kept, the last one then. In a write it is exact for the user's private database: no lower
    /// one is still to be committed. Where the store is shared, it is the last visible one of the other databases.
    func lastChangeSequence(in database: DatabaseScope, of user: UserRecordName) throws -> CommitSequence

    /// A registered device; nil when there is none of this ID.
    func device(_ id: DeviceID) throws -> StoredDevice?

    /// The devices of a user, by registration.
    func devices(of user: UserRecordName) throws -> [StoredDevice]

    /// Devices that were last heard of before a time, first the one that was silent longest.
    func silentDevices(before time: Timestamp, limit: Int) throws -> [StoredDevice]

    /// The user of an identity; nil when nobody has signed in with it.
    func user(_ identity: UserIdentity) throws -> UserRecordName?

    /// The sequence of the user's last device event; zero when there was none.
    func lastDeviceEvent(of user: UserRecordName) throws -> CommitSequence

    /// Returns true if an API token has this SHA-256 digest.
    func hasAPIToken(digest: [UInt8]) throws -> Bool

    /// Records of all zones after a number, in the order of their creation: at most `limit`, and no more once their
    /// bodies have `bytesMax` bytes together.
    func recordBodies(after number: Int64, limit: Int, bytesMax: Int) throws -> [(number: Int64, body: [UInt8])]

    /// The body of the record of a number.
    func recordBody(_ number: Int64) throws -> [UInt8]?

    /// The outbox after a sequence, in order: at most `limit` rows, and no more once their values have `bytesMax` bytes
    /// together.
    func outbox(after sequence: CommitSequence, limit: Int, bytesMax: Int) throws -> [OutboxRow]

    /// The settled sequence: every write that took this one or a lower one has ended, and this closure sees its rows.
    /// Changes above it may be visible while lower ones are still to come, so tokens and marks of progress hold nothing
    /// higher. In a write it does not cover the write's own sequences.
    func settledSequence() throws -> CommitSequence

    /// The last subscription event below the rows of the outbox, as `removeOutbox` was handed it.
    func lastRemovedSubscription() throws -> CommitSequence

    /// A reader's position, encoded; nil when it has none.
    func position(_ reader: String) throws -> [UInt8]?
}
