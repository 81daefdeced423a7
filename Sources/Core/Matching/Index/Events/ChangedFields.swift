import CloudModel

/// Answers to the question which fields a change changed; each is found out once.
struct ChangedFields {
    private var known: [FieldName: Bool] = [:]

    /// Forgets the change.
    mutating func removeAll() {
        if !known.isEmpty { known.removeAll(keepingCapacity: true) }
    }

    /// Returns true if an update changed a field.
    mutating func has(_ field: FieldName, _ change: Change) -> Bool {
        if let known = known[field] { return known }
        let isChanged = FieldValue.differ(change.before?.fields[field], change.after?.fields[field])
        known[field] = isChanged
        return isChanged
    }
}
