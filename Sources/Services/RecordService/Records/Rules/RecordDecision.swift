import CloudModel

/// The outcome of the rules for one operation: what is to be written.
enum RecordDecision {
    /// The record that the caller wants gone does not exist.
    case nothing
    case delete(RecordImage)
    /// The share stays, and the caller leaves it.
    case leave(RecordImage)
    case save(RecordDraft)
}

/// A record to be saved, before its change has a sequence.
struct RecordDraft {
    /// The record, but for its change tag.
    var record: Record
    var before: RecordImage?
    /// Fields given, with the types of the schema, but for lists that leave the type open: those that are new are learnt.
    var given: [FieldName: FieldValue?]
    /// Users who are invited by address for the first time.
    var invitations: [Invitation] = []

    /// A user to be, by address.
    struct Invitation: Hashable {
        var name: UserRecordName
        var address: String
    }
}

/// A save that every rule allows.
struct RecordSave {
    var before: RecordImage?
    var after: RecordImage
    /// The sequence of the change.
    var sequence: CommitSequence
    var given: [FieldName: FieldValue?]
    /// Types and fields that the schema learns.
    var newParts: Int
    var invitations: [RecordDraft.Invitation]
}
