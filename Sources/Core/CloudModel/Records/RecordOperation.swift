/// One entry of `records/modify`.
package struct RecordOperation: Hashable, Sendable {
    /// The kinds of operations (docs/cloudkit.md#saves).
    package enum Kind: String, Sendable, CaseIterable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        /// True if the caller has to prove by a change tag that it knew the latest version.
        package var needsChangeTag: Bool { self == .update || self == .replace || self == .delete }

        /// True if the record has to be there.
        package var needsRecord: Bool { needsChangeTag }

        /// True if fields that are not given are removed.
        package var isReplacing: Bool { self == .replace || self == .forceReplace }
    }

    /// The kind of the operation.
    package var kind: Kind
    /// The name of the record; nil lets the server make one.
    package var recordName: RecordName?
    /// The type; needed to create, and otherwise checked when it is given.
    package var recordType: RecordType?
    /// The version that the client knows; the operation is refused when there is a later one.
    package var changeTag: String?
    /// The fields given; nil removes one.
    package var fields: [FieldName: GivenValue?]
    /// The record above this one in a hierarchy that can be shared; absent leaves it, nil removes it.
    package var parent: RecordName??
    /// The share of this record, where the same request makes it.
    package var shareName: RecordName?
    /// The records that the parent, the share and the root of a share name, if they name a zone: it has to be this
    /// record's.
    package var zonedLinks: [Reference] = []
    /// The share that a record of the type `cloudkit.share` is: its records and its participants.
    package var share: GivenShare?

    package init(
        kind: Kind, recordName: RecordName?, recordType: RecordType? = nil, changeTag: String? = nil,
        fields: [FieldName: GivenValue?] = [:], parent: RecordName?? = nil
    ) {
        self.kind = kind
        self.recordName = recordName
        self.recordType = recordType
        self.changeTag = changeTag
        self.fields = fields
        self.parent = parent
    }
}
