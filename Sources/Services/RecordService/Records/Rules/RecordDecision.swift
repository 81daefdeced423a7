import CloudModel

/// The decision on one operation: the rows to write.
enum RecordDecision {
    /// The record that the caller wants gone does not exist.
    case nothing
    case delete(RecordImage)
    /// The share stays, and the caller leaves it.
    case leave(RecordImage)
    /// The save changes nothing: nothing is written, and nobody is notified.
    case keep(RecordImage)
    case save(RecordDraft)
}

/// A record to be saved, before its change has a sequence.
struct RecordDraft {
    /// The record, but for its change tag.
    var record: Record
    var before: RecordImage?
    /// The names of all given fields.
    var names: Set<FieldName>
    /// The given fields with the types of the schema, but for lists that leave the type open: new ones are added to the
    /// schema.
    var given: [FieldName: FieldValue?]
    /// Users who are invited by address for the first time.
    var invitations: [Invitation] = []

    /// True if the record is the one that is stored, but for its change tag and the stamp of its last change. Bytes are
    /// compared, as Swift takes composed and decomposed letters for the same, but only those of named fields: the others
    /// of a large record stay, and would be encoded twice for that.
    var changesNothing: Bool {
        guard let before, invitations.isEmpty else { return false }
        // Where it replaces all fields, a stored one that is not named goes.
        guard record.fields.entries.count == before.record.fields.entries.count else { return false }
        return RecordImage(named(record)).body == RecordImage(named(before.record)).body
    }

    private func named(_ record: Record) -> Record {
        var part = record
        part.fields = RecordFields(sorted: record.fields.entries.filter { names.contains($0.name) })
        part.changeTag = ""
        part.modified = record.created
        return part
    }

    /// A user to be, by address.
    struct Invitation: Hashable {
        var name: UserRecordName
        var address: EmailAddress
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
    /// The price of its rows of indexes, in bytes.
    var indexBytes = 0
    /// The words of its long texts.
    var cut: RecordIndexing.CutTexts?
    var invitations: [RecordDraft.Invitation]

    /// Bytes that writing it moves: the record into the store, the record as it was and as it is into the outbox, and
    /// its rows.
    var movedBytes: Int { 2 * after.body.count + (before?.body.count ?? 0) + indexBytes }
}
