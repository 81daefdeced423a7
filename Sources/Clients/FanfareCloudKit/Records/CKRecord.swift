import CloudModel
@_exported public import Foundation
import Synchronization

// Mutable state is behind a Mutex; CloudKit declares the class the same way, and CKShare is a subclass.
/// A record: typed values by field name, and the system fields that the service sets.
///
/// A class, as in CloudKit: a save updates the saved object with the service's change tag, dates and users.
public class CKRecord: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a record's type.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String

    struct State: Sendable {
        var fields: [String: FieldContent] = [:]
        /// The names of fields that differ from the service's version.
        var changed: Set<String> = []
        /// The values of the last fetched or saved version.
        var base: [String: FieldContent] = [:]
        var system = SystemValues()
        var parent: CKRecord.Reference?
        var isParentChanged = false
        /// The share that was created for the record locally, until the service reports one.
        var newShare: String?

        /// True for an encrypted field, also after the app removed it.
        func isEncrypted(_ key: String) -> Bool { (fields[key] ?? base[key])?.isEncrypted ?? false }
    }

    let state: Mutex<State>

    /// The record type.
    public let recordType: RecordType
    /// The record name and the zone.
    public let recordID: CKRecord.ID

    /// Creates a record, by default with a random name in the default zone.
    public init(recordType: RecordType, recordID: CKRecord.ID = CKRecord.ID()) {
        self.recordType = recordType
        self.recordID = recordID
        state = Mutex(State())
    }

    /// Creates a record in a zone, with a random name.
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: CKRecord.ID(zoneID: zoneID))
    }

    init(recordType: RecordType, recordID: CKRecord.ID, state: State) {
        self.recordType = recordType
        self.recordID = recordID
        self.state = Mutex(state)
    }

    // MARK: System fields

    /// The tag of the saved version; nil before the first save.
    public var recordChangeTag: String? { state.withLock { $0.system.changeTag } }
    /// The time of the first save.
    public var creationDate: Date? { state.withLock { $0.system.creationDate } }
    /// The user who created the record; `CKCurrentUserDefaultName` for the signed-in user.
    public var creatorUserRecordID: CKRecord.ID? { state.withLock { $0.system.creator.map { CKRecord.ID(user: $0) } } }
    /// The time of the last save.
    public var modificationDate: Date? { state.withLock { $0.system.modificationDate } }
    /// The user who saved last; `CKCurrentUserDefaultName` for the signed-in user.
    public var lastModifiedUserRecordID: CKRecord.ID? {
        state.withLock { $0.system.modifier.map { CKRecord.ID(user: $0) } }
    }
    /// The share of the record; nil if the record is not the root of a share.
    public var share: CKRecord.Reference? {
        state.withLock { $0.system.share ?? $0.newShare }.map {
            CKRecord.Reference(recordID: CKRecord.ID(recordName: $0, zoneID: recordID.zoneID), action: .none)
        }
    }

    /// Lets `CKShare` take over the share's own properties.
    func didAdopt(_ record: Record, from reader: RecordReader) {}

    /// Lets `CKShare` archive the share's own properties, which are system fields.
    func encodeOwnProperties(with coder: NSCoder) {}

    // MARK: Hierarchy

    /// The parent record in a hierarchy that can be shared.
    public var parent: CKRecord.Reference? {
        get { state.withLock { $0.parent } }
        set {
            state.withLock { state in
                state.parent = newValue
                state.isParentChanged = true
            }
        }
    }

    /// Sets the parent record; nil removes this record from its hierarchy.
    public func setParent(_ parent: CKRecord?) { setParent(parent?.recordID) }

    /// Sets the parent record by its ID; nil removes this record from its hierarchy.
    public func setParent(_ parentID: CKRecord.ID?) {
        parent = parentID.map { CKRecord.Reference(recordID: $0, action: .none) }
    }

    // MARK: NSObject

    /// A copy with the same values and unsaved changes.
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

    /// True: `NSKeyedArchiver` archives records with all values and unsaved changes.
    public class var supportsSecureCoding: Bool { true }

    /// Archives the whole record with its unsaved changes.
    public func encode(with coder: NSCoder) { encode(includingFields: true, with: coder) }

    /// A record from an archive. One from `encodeSystemFields` has no values.
    public required init?(coder: NSCoder) {
        guard let archived = Archive(from: coder) else { return nil }
        recordType = archived.recordType
        recordID = archived.recordID.id
        state = Mutex(archived.state)
    }
}

extension CKRecord {
    /// The system fields of a record, which the service sets.
    struct SystemValues: Sendable, Codable {
        var changeTag: String?
        var creationDate: Date?
        var creator: String?
        var modificationDate: Date?
        var modifier: String?
        var share: String?
    }

    /// The names of the service's own record types.
    public enum SystemType {
        /// The type of users' records.
        public static let userRecord: CKRecord.RecordType = "Users"
        /// The type of shares.
        public static let share: CKRecord.RecordType = "cloudkit.share"
    }
}
