public import Foundation

// Set by the service once, when the zone is read; CloudKit declares the class the same way.
/// A zone of a database.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The things that a zone can do.
    public struct Capabilities: OptionSet, Sendable {
        /// The bits, as CloudKit numbers them.
        public let rawValue: UInt
        /// Capabilities from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The zone has a change feed.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// All of a save is done, or nothing.
        public static let atomic = Capabilities(rawValue: 2)
        /// Hierarchies of the zone can be shared.
        public static let sharing = Capabilities(rawValue: 4)
        /// The zone can be shared as a whole.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// The reach of the keys by which encrypted fields are sealed, by CloudKit's numbers.
    public enum EncryptionScope: Int, Sendable {
        /// Each record, which can be shared alone.
        case perRecord = 0
        /// The whole zone.
        case perZone = 1
    }

    /// The reach of the keys: nothing is to be chosen here, as the service seals.
    public var encryptionScope: EncryptionScope { .perRecord }
    /// The name and the owner.
    public let zoneID: CKRecordZone.ID
    /// The things that the zone can do.
    public let capabilities: Capabilities
    /// The share of the whole zone, of a zone that was fetched or saved; nil when there is none.
    public let share: CKRecord.Reference?

    /// A custom zone of the caller's.
    public convenience init(zoneName: String) { self.init(zoneID: CKRecordZone.ID(zoneName: zoneName)) }

    /// A zone by its ID.
    public convenience init(zoneID: CKRecordZone.ID) { self.init(zoneID: zoneID, share: nil) }

    init(zoneID: CKRecordZone.ID, share: String?) {
        self.zoneID = zoneID
        self.share = share.map {
            CKRecord.Reference(recordID: CKRecord.ID(recordName: $0, zoneID: zoneID), action: .none)
        }
        capabilities =
            zoneID.zoneName == ID.defaultZoneName ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
    }

    /// The zone that every database has.
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// True for the same zone.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? CKRecordZone).map { zoneID.isEqual($0.zoneID) } ?? false
    }

    /// A hash of the ID.
    public override var hash: Int { zoneID.hash }

    /// The name, for developers.
    public override var description: String { "<CKRecordZone \(zoneID.zoneName)>" }

    /// The zone itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the ID, and the name of the share.
    public func encode(with coder: NSCoder) {
        coder.encode(zoneID, forKey: "ZoneID")
        if let share { coder.encode(share.recordID.recordName as NSString, forKey: "Share") }
    }

    /// A zone from an archive.
    public convenience init?(coder: NSCoder) {
        guard let id = coder.decodeObject(of: ID.self, forKey: "ZoneID") else { return nil }
        let share = coder.containsValue(forKey: "Share") ? coder.decodeObject(of: NSString.self, forKey: "Share") : nil
        self.init(zoneID: id, share: share.map { String(describing: $0) })
    }
}

extension CKRecordZone {
    /// The name of a zone and its owner.
    public typealias ID = CKRecordZoneID
}

/// The older name of `CKRecordZone.ID.defaultZoneName`.
public let CKRecordZoneDefaultName = CKRecordZone.ID.defaultZoneName
/// The older name of a zone's capabilities.
public typealias CKRecordZoneCapabilities = CKRecordZone.Capabilities
