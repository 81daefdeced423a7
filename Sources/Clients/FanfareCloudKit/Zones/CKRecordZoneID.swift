import CloudModel
public import Foundation

// A class of its own, not one within another: archives on Linux take no others.
/// The name of a zone and its owner.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name of the zone that every database has.
    public static let defaultZoneName = "_defaultZone"
    /// The caller's default zone.
    public static let `default` = CKRecordZoneID(zoneName: defaultZoneName)

    /// The name, unique among the owner's zones.
    public let zoneName: String
    /// The user whose zone it is; `CKCurrentUserDefaultName` is the caller.
    public let ownerName: String

    /// A zone's ID; by default of the caller's own.
    public init(zoneName: String = CKRecordZoneID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName) {
        self.zoneName = zoneName
        self.ownerName = ownerName
    }

    /// The owner as a request names it; nil is the caller.
    var givenOwner: UserRecordName? {
        ownerName == CKCurrentUserDefaultName ? nil : UserRecordName(trusted: ownerName)
    }

    /// The zone as a request names it.
    var given: GivenZone { GivenZone(name: ZoneName(trusted: zoneName), owner: givenOwner) }

    /// True for the same name and owner.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return zoneName == other.zoneName && ownerName == other.ownerName
    }

    /// A hash of name and owner.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    /// The name and the owner, for developers.
    public override var description: String { "<CKRecordZoneID \(zoneName) of \(ownerName)>" }

    /// The ID itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the ID.
    public func encode(with coder: NSCoder) {
        coder.encode(zoneName as NSString, forKey: "ZoneName")
        coder.encode(ownerName as NSString, forKey: "OwnerName")
    }

    /// An ID from an archive.
    public init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "ZoneName"),
            let owner = coder.decodeObject(of: NSString.self, forKey: "OwnerName")
        else { return nil }
        zoneName = String(describing: name)
        ownerName = String(describing: owner)
    }
}
