import CloudModel
public import Foundation

// What can change is guarded, as in the class above it.
/// A subscription to all changes in all custom zones of a database.
public final class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    /// The one type of records that it is limited to; nil is all.
    @CKGuarded public var recordType: CKRecord.RecordType? = nil

    /// A subscription to a database.
    public init(subscriptionID: CKSubscription.ID) { super.init(id: subscriptionID, type: .database) }

    /// A subscription to a database, under an ID of its own.
    public convenience init() { self.init(subscriptionID: UUID().uuidString) }

    /// A subscription from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let made = Self.archived(in: coder) as? Self else { return nil }
        self.init(made: made)
    }

    override func draft() throws(CKError) -> SubscriptionDraft {
        .database(
            id: SubscriptionID(trusted: subscriptionID), recordType: recordType.map { RecordType(trusted: $0) },
            notificationInfo: notificationInfo?.noun)
    }
}
