package import CloudModel

/// Writes of a store. The changes of one closure are committed together or not at all.
package protocol StoreTransaction: StoreReader, CascadeTransaction, QueryTransaction, SchemaTransaction,
    ZoneTransaction, ShareTransaction, IdentityTransaction, AssetTransaction, CourierTransaction, UsageTransaction,
    AccountTransaction, SubscriptionCostTransaction, ContinuityTransaction, CreatorTransaction, BackfillTransaction,
    PushAddressTransaction, OperatorActionTransaction, PolicyTransaction
{
    /// Takes the next sequence: one above all that this closure sees, and above all that were answered before it began.
    /// One that is taken is used or left out, and never given again.
    func nextSequence() throws -> CommitSequence

    /// The last sequence that the closure took; nil while it has taken none.
    func lastTaken() throws -> CommitSequence?

    /// Deletes a record; in a custom zone a tombstone with the change's sequence and time stays for the change feed.
    /// - Parameter roots: the shared records that it was below, or itself.
    func deleteRecord(_ id: RecordID, at sequence: CommitSequence, _ time: Timestamp, roots: [RecordName]) throws

    /// Puts another body in the place of a record's, which says the same: neither sequence nor indexes change.
    func replaceBody(_ body: [UInt8], of number: Int64) throws

    /// Adds a record type to the schema, if it is not there.
    func define(_ type: RecordType) throws
    /// Adds a field to a record type.
    func define(_ field: FieldName, as fieldType: FieldType, in type: RecordType) throws

    /// Saves a subscription in place of the old one.
    func save(_ subscription: StoredSubscription) throws
    /// Deletes a subscription.
    func deleteSubscription(_ key: SubscriptionKey) throws
    /// Adds a superseded version.
    func addSuperseded(_ version: SupersededVersion) throws
    /// Removes a superseded version.
    func removeSuperseded(_ sequence: CommitSequence) throws

    /// Saves a device in place of the old one.
    func save(_ device: StoredDevice) throws
    /// Deletes a device.
    func deleteDevice(_ id: DeviceID) throws
    /// Adds a user.
    func addUser(_ name: UserRecordName, _ identity: UserIdentity, at time: Timestamp) throws
    /// Gives a user another identity in place of the one it has.
    func setIdentity(_ identity: UserIdentity, of name: UserRecordName) throws
    /// Sets the sequence of the user's last device event.
    func noteDeviceEvent(of user: UserRecordName, _ sequence: CommitSequence) throws
    /// Adds an API token by its SHA-256 digest.
    func addAPIToken(digest: [UInt8], note: String, at time: Timestamp) throws

    /// Adds a row to the outbox. Its sequence was taken in this transaction, and has no row yet.
    func append(_ row: OutboxRow) throws
    /// Removes published rows, up to and including a sequence.
    /// - Parameter lastSubscription: the last subscription event of these rows or of earlier ones.
    func removeOutbox(through sequence: CommitSequence, lastSubscription: CommitSequence) throws

    /// Stores a reader's position.
    func setPosition(_ position: [UInt8], of reader: String) throws
}
