public import Foundation

extension CKReference {
    /// The effect of a target's deletion.
    public typealias Action = CKRecord.ReferenceAction
}

// Not nested: `NSKeyedArchiver` on Linux does not archive nested classes.
/// A field's reference to another record of the same zone, or to a user.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The target.
    public let recordID: CKRecord.ID
    /// The effect of the target's deletion.
    public let action: CKRecord.ReferenceAction

    /// A reference to a record by its ID.
    public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
        self.recordID = recordID
        self.action = action
    }

    /// A reference to a record.
    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
        self.init(recordID: record.recordID, action: action)
    }

    /// True for the same target and action.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKReference else { return false }
        return recordID.isEqual(other.recordID) && action == other.action
    }

    /// A hash of the target.
    public override var hash: Int { recordID.hash }

    /// The target, for developers.
    public override var description: String { "<CKReference to \(recordID.recordName)>" }

    /// The reference itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the reference.
    public func encode(with coder: NSCoder) {
        coder.encode(recordID, forKey: "RecordID")
        coder.encode(action == .deleteSelf, forKey: "DeletesSelf")
    }

    /// A reference from an archive.
    public init?(coder: NSCoder) {
        guard let id = coder.decodeObject(of: CKRecord.ID.self, forKey: "RecordID") else { return nil }
        recordID = id
        action = coder.decodeBool(forKey: "DeletesSelf") ? .deleteSelf : .none
    }
}
