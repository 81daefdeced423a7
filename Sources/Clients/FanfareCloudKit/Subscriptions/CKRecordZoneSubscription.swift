import CloudModel
public import Foundation

// What can change is guarded, as in the class above it.
/// A subscription to all changes in a custom zone of the user's private database.
public final class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// The zone.
    public let zoneID: CKRecordZone.ID
    /// The one type of records that it is limited to; nil is all.
    @CKGuarded public var recordType: CKRecord.RecordType? = nil

    init(watching zoneID: CKRecordZone.ID, id: CKSubscription.ID) {
        self.zoneID = zoneID
        super.init(id: id, type: .recordZone)
    }

    /// A subscription to a zone.
    public convenience init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID) {
        self.init(watching: zoneID, id: subscriptionID)
    }

    /// A subscription to a zone, under an ID of its own.
    public convenience init(zoneID: CKRecordZone.ID) { self.init(watching: zoneID, id: UUID().uuidString) }

    /// A subscription from an archive.
    public required convenience init?(coder: NSCoder) {
        guard let made = Self.archived(in: coder) as? Self else { return nil }
        self.init(made: made)
    }

    override func draft() throws(CKError) -> SubscriptionDraft {
        .zone(
            id: SubscriptionID(trusted: subscriptionID), zone: zoneID.given,
            recordType: recordType.map { RecordType(trusted: $0) }, notificationInfo: notificationInfo?.noun)
    }
}
