public import Foundation

/// The name of the signed-in user as owner of zones and creator of records.
public let CKCurrentUserDefaultName = "__defaultOwner__"
/// The older name of `CKCurrentUserDefaultName`.
public let CKOwnerDefaultName = CKCurrentUserDefaultName

extension CKRecord {
    /// The name of a record and its zone.
    public typealias ID = CKRecordID
    /// A field's reference to another record.
    public typealias Reference = CKReference

    /// The effect of a record's deletion on the records that refer to it.
    public enum ReferenceAction: UInt, Sendable {
        /// None.
        case none = 0
        /// The referring record is deleted with its target.
        case deleteSelf = 1
    }
}

/// The older name of a reference's action.
public typealias CKReferenceAction = CKRecord.ReferenceAction

// Not nested: `NSKeyedArchiver` on Linux does not archive nested classes.
/// The name of a record and its zone.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name, unique in the zone.
    public let recordName: String
    /// The zone.
    public let zoneID: CKRecordZone.ID

    /// A record's ID; by default with a random name, in the default zone.
    public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// The ID of a user's record.
    convenience init(user: String) { self.init(recordName: user) }

    /// True for the same name in the same zone.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return recordName == other.recordName && zoneID.isEqual(other.zoneID)
    }

    /// A hash of name and zone.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordName)
        hasher.combine(zoneID)
        return hasher.finalize()
    }

    /// The name and the zone, for developers.
    public override var description: String { "<CKRecordID \(recordName) in \(zoneID.zoneName)>" }

    /// The ID itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the ID.
    public func encode(with coder: NSCoder) {
        coder.encode(recordName as NSString, forKey: "RecordName")
        coder.encode(zoneID, forKey: "ZoneID")
    }

    /// An ID from an archive.
    public init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "RecordName"),
            let zone = coder.decodeObject(of: CKRecordZone.ID.self, forKey: "ZoneID")
        else { return nil }
        recordName = String(describing: name)
        zoneID = zone
    }
}
