import CloudModel
@_exported public import Foundation
import Synchronization

// All that can change is behind a Mutex; CloudKit declares the class the same way, and CKShare is a subclass.
/// A record: typed values by the names of their fields, with what the service keeps beside them.
///
/// A class, as in CloudKit: saving a record updates the very object with the service's change tag and stamps.
public class CKRecord: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a record's type.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String

    struct State: Sendable {
        var fields: [String: FieldContent] = [:]
        /// The names of fields that differ from the service's version, in no order.
        var changed: Set<String> = []
        /// The values as they were fetched or saved last.
        var base: [String: FieldContent] = [:]
        var system = SystemValues()
        var parent: CKRecord.Reference?
        var isParentChanged = false
        /// The share that was made of the record here, until the service tells of one.
        var newShare: String?

        /// True for a field that is encrypted, or was before it was removed.
        func isEncrypted(_ key: String) -> Bool { (fields[key] ?? base[key])?.isEncrypted ?? false }
    }

    let state: Mutex<State>

    /// The type, which never changes.
    public let recordType: RecordType
    /// The name and the zone, which never change.
    public let recordID: CKRecord.ID

    /// A new record, under a name of its own unless one is given.
    public init(recordType: RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
        self.recordType = recordType
        self.recordID = recordID
        state = Mutex(State())
    }

    /// A new record of a zone, under a name of its own.
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
    }

    init(recordType: RecordType, recordID: CKRecord.ID, state: State) {
        self.recordType = recordType
        self.recordID = recordID
        self.state = Mutex(state)
    }

    // MARK: What the service keeps

    /// The version that the service has; nil of a record that was not saved yet.
    public var recordChangeTag: String? { state.withLock { $0.system.changeTag } }
    /// The time of the first save.
    public var creationDate: Date? { state.withLock { $0.system.creationDate } }
    /// The user who saved first; `CKCurrentUserDefaultName` is the caller.
    public var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.system.creator.map { CKRecord.ID(user: $0) } } }
    /// The time of the last save.
    public var modificationDate: Date? { state.withLock { $0.system.modificationDate } }
    /// The user who saved last; `CKCurrentUserDefaultName` is the caller.
    public var lastModifiedUserRecordID: CKRecord.ID? {
        state.withLock { $0.system.modifier.map { CKRecord.ID(user: $0) } }
    }
    /// The share of the record; nil of one that is not the root of a share.
    public var share: CKRecord.Reference? {
        state.withLock { $0.system.share ?? $0.newShare }.map {
            CKRecord.Reference(recordID: CKRecord.ID(recordName: $0, zoneID: recordID.zoneID), action: .none)
        }
    }

    /// Takes what a share has beside its fields.
    func didAdopt(_ record: Record, from reader: RecordReader) {}

    // MARK: Hierarchy

    /// The record above this one in a hierarchy that can be shared as one.
    public var parent: CKRecord.Reference? {
        get { state.withLock { $0.parent } }
        set {
            state.withLock { state in
                state.parent = newValue
                state.isParentChanged = true
            }
        }
    }

    /// Sets the record above this one; nil takes it out of its hierarchy.
    public func setParent(_ parent: CKRecord?) { setParent(parent?.recordID) }

    /// Sets the record above this one by its ID; nil takes it out of its hierarchy.
    public func setParent(_ parentID: CKRecord.ID?) {
        parent = parentID.map { CKRecord.Reference(recordID: $0, action: .none) }
    }

    // MARK: NSObject

    /// A copy with the same values and changes.
    public func copy(with zone: NSZone? = nil) -> Any {
        CKRecord(recordType: recordType, recordID: recordID, state: state.withLock { $0 })
    }

    /// The type, the name and the fields, for developers.
    public override var description: String {
        let fields = state.withLock { $0.fields }.sorted { $0.key < $1.key }.map {
            "\($0.key)=\($0.value.isEncrypted ? "(encrypted)" : "\($0.value.value)")"
        }
        return "<\(Self.self) \(recordType) \(recordID.recordName): \(fields.joined(separator: ", "))>"
    }

    // MARK: NSSecureCoding

    /// True: records are archived by `NSKeyedArchiver` with all values and changes.
    public class var supportsSecureCoding: Bool { true }

    /// Writes the whole record, changes included.
    public func encode(with coder: NSCoder) { encode(includingFields: true, with: coder) }

    /// A record from an archive: a whole one, or one that `encodeSystemFields` wrote, which has no values.
    public required init?(coder: NSCoder) {
        guard let archived = Archive(from: coder) else { return nil }
        recordType = archived.recordType
        recordID = archived.recordID.id
        state = Mutex(archived.state)
    }
}

extension CKRecord {
    /// The parts of a record that the service sets.
    struct SystemValues: Sendable, Codable {
        var changeTag: String?
        var creationDate: Date?
        var creator: String?
        var modificationDate: Date?
        var modifier: String?
        var share: String?
    }

    /// Names of record types that the service has by itself.
    public enum SystemType {
        /// The type of users' records.
        public static let userRecord: CKRecord.RecordType = "Users"
        /// The type of shares.
        public static let share: CKRecord.RecordType = "cloudkit.share"
    }
}
