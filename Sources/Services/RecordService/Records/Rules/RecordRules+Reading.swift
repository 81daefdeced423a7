import CloudModel

extension RecordRules {
    /// Returns true if the caller may read a record that the operation is about.
    func mayRead(_ record: Record) -> Bool {
        setting.database != .public || setting.publicAccess.may(.read, record, permissions(of: record.type))
    }

    /// The part of a saved record that its answer has: all that the caller may read. Of a record that the caller may
    /// write and not read these are the values that were sent, without files, and the stamp of the save in place of
    /// the creator's.
    func answer(to operation: RecordOperation, _ saved: Record) -> Record {
        guard !mayRead(saved) else { return saved }
        var fields = RecordFields()
        for (field, value) in operation.fields where value != nil {
            guard let value = saved.fields[field], value.assets.isEmpty else { continue }
            fields[field] = value
        }
        return Record(
            type: saved.type, name: saved.name, zone: saved.zone, changeTag: saved.changeTag, created: saved.modified,
            modified: saved.modified, fields: fields, parent: operation.parent ?? nil)
    }

    /// Checks that the client saw the stored version; after the caller's rights, so that no one else gets its tag.
    func checkTag(_ operation: RecordOperation) throws(CloudError) {
        guard operation.kind.needsChangeTag, let existing = facts.existing?.record else { return }
        guard let tag = operation.changeTag else {
            throw .badRequest(
                "\(operation.kind.rawValue) of '\(existing.name)' needs the recordChangeTag that you last saw")
        }
        guard tag == existing.changeTag else {
            let present = mayRead(existing) ? "is '\(existing.changeTag)', not '\(tag)'" : "is not '\(tag)'"
            throw CloudError(
                .conflict,
                "the record '\(existing.name)' was changed since you read it: its recordChangeTag \(present); read it again"
            )
        }
    }
}
