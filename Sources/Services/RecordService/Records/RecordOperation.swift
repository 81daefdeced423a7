package import CloudModel

/// One entry of `records/modify`.
package struct RecordOperation: Hashable, Sendable {
    /// What to do (spec section 5.5).
    package enum Kind: String, Sendable, CaseIterable {
        case create, update, forceUpdate, delete
    }

    package var kind: Kind
    /// Nil lets the server make a name.
    package var recordName: RecordName?
    package var recordType: RecordType?
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
