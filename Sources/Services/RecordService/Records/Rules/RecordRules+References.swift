import CloudModel

extension RecordRules {
    /// Checks that references stay in their zone, find what they validate, and are not too many to one record.
    func checkReferences(_ values: some Collection<FieldValue?>) throws(CloudError) {
        for reference in values.flatMap({ $0?.references ?? [] }) {
            if let user = reference.recordName.user {
                try checkReference(reference, to: user)
                continue
            }
            try checkZone(of: reference)
            switch reference.action {
            case .none: break
            case .validate:
                let target = reference.recordName
                guard isVisible(target) || facts.coming.contains(target) || target == facts.name else {
                    throw CloudError(
                        .validatingReferenceError,
                        "the record '\(reference.recordName)' that a VALIDATE reference names does not exist")
                }
            case .deleteSelf:
                let others = facts.cascadingReferrers[reference.recordName] ?? 0
                guard others < Limits.deleteSelfReferencesMax else {
                    throw CloudError.exceeded(
                        ExceededLimit("deleteSelfReferencesMax", Limits.deleteSelfReferencesMax),
                        "the record '\(reference.recordName)' has \(others) DELETE_SELF references\(ofCreator); at most \(Limits.deleteSelfReferencesMax) are allowed"
                    )
                }
            }
        }
    }

    /// Checks that a reference, a parent, a share or the top of one stays in its zone.
    func checkZone(of reference: Reference) throws(CloudError) {
        // Another zone may be another user's, and its content is not revealed.
        guard reference.zone ?? setting.zone == setting.zone else {
            throw .badRequest(
                "the reference to '\(reference.recordName)' leads into another zone; it has to stay in its own")
        }
    }

    private var ofCreator: String { setting.database == .public ? " of records with the same creator" : "" }

    /// Checks that a parent is another record that exists, that no record is its own ancestor, and that the hierarchy
    /// is not too deep. In the public database the parent that a record has already is not checked: what became of it
    /// is not the record's owner's to decide.
    func checkParent(_ parent: RecordName?) throws(CloudError) {
        guard let parent else { return }
        let record = facts.name
        if setting.database == .public, parent == facts.existing?.record.parent { return }
        guard parent != record else { throw Self.ownParent(record) }
        guard isVisible(parent), let above = facts.lines[parent] else { throw missing(parent) }
        guard facts.isParentWritable else {
            throw CloudError(
                .accessDenied,
                "you have no WRITE right on the parent '\(parent)': only those who may write a record hang others below it"
            )
        }
        guard !above.names.contains(record) else { throw Self.ownParent(record) }
        guard above.names.count <= Limits.parentDepthMax else { throw Self.tooDeep(record, above.names.count) }
        guard !above.endsMissing || !seesAncestors else { throw missing(above.names.last!) }
        if let share = facts.gainedShare {
            throw .alreadyShared(
                by: share,
                "the record '\(record)' or one below it has a share, and below '\(parent)' it would be in the share '\(share)', too: a record takes part in one share only"
            )
        }
        // Its descendants come along.
        let depth = above.names.count + facts.levelsBelow
        guard depth <= Limits.parentDepthMax else { throw Self.tooDeep(record, depth) }
    }

    /// True if the caller may read all records above one that the caller may read.
    private var seesAncestors: Bool {
        guard let access = setting.access else { return setting.database != .public }
        return access.wholeZone != .none
    }

    private func missing(_ parent: RecordName) -> CloudError {
        CloudError(
            .validatingReferenceError, "the parent '\(parent)' does not exist in zone \(setting.zone.name)")
    }

    private static func ownParent(_ record: RecordName) -> CloudError {
        .badRequest("the record '\(record)' cannot be its own parent, nor its parent's parent")
    }

    private static func tooDeep(_ record: RecordName, _ depth: Int) -> CloudError {
        CloudError.exceeded(
            ExceededLimit("parentDepthMax", Limits.parentDepthMax),
            "with this parent, '\(record)' or a record below it would have \(depth) or more records above it; at most \(Limits.parentDepthMax) are allowed"
        )
    }
}
