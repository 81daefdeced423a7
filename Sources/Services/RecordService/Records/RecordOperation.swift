package import CloudModel

/// One entry of `records/modify`.
package struct RecordOperation: Hashable, Sendable {
    /// What to do (spec section 5.5).
    package enum Kind: String, Sendable, CaseIterable {
        case create, update, forceUpdate, delete
    }

    /// What to do.
    package var kind: Kind
    /// Nil lets the server make a name.
    package var recordName: RecordName?
    /// The type; needed to create, and otherwise checked when it is given.
    package var recordType: RecordType?
    /// The version that the client knows; the operation is refused when there is a later one.
    package var changeTag: String?
    /// The fields given; nil removes one.
    package var fields: [FieldName: GivenValue?]

    package init(
        kind: Kind, recordName: RecordName?, recordType: RecordType? = nil, changeTag: String? = nil,
        fields: [FieldName: GivenValue?] = [:]
    ) {
        self.kind = kind
        self.recordName = recordName
        self.recordType = recordType
        self.changeTag = changeTag
        self.fields = fields
    }
}
