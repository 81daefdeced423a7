import CloudModel

/// A field's reference to another record.
public struct FanfareReference: Hashable, Sendable {
    let noun: Reference

    init(_ noun: Reference) { self.noun = noun }

    /// A reference to a record of the same zone.
    /// - Parameter deletesSelf: true to delete the referring record with the one that it refers to.
    public init(recordName: String, deletesSelf: Bool = false) {
        noun = Reference(recordName: RecordName(trusted: recordName), action: deletesSelf ? .deleteSelf : .none)
    }

    /// The name of the record that is referred to.
    public var recordName: String { noun.recordName.rawValue }

    /// True if the referring record is deleted with the one that it refers to.
    public var deletesSelf: Bool { noun.action == .deleteSelf }
}
