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
                guard isVisible(reference.recordName) else {
                    throw CloudError(
                        .validatingReferenceError,
                        "the record '\(reference.recordName)' that a VALIDATE reference names does not exist")
                }
            case .deleteSelf:
                let others = facts.cascadingReferrers[reference.recordName] ?? 0
                guard others < Limits.deleteSelfReferencesMax else {
                    throw CloudError(
                        .quotaExceeded,
                        "the record '\(reference.recordName)' has \(others) DELETE_SELF references; at most \(Limits.deleteSelfReferencesMax) are allowed"
                    )
                }
            }
        }
    }

    /// Checks that a reference, a parent, a share or the top of one stays in its zone.
    func checkZone(of reference: Reference) throws(CloudError) {
        // Another zone may be another user's, who does not tell what is there.
        guard reference.zone ?? setting.zone == setting.zone else {
            throw .badRequest(
                "the reference to '\(reference.recordName)' leads into another zone; it has to stay in its own")
        }
    }

    /// Checks that a parent is another record that exists, no record is above itself, and not too many are above one another.
    func checkParent(_ parent: RecordName?) throws(CloudError) {
        guard let parent else { return }
        let record = facts.name
        guard parent != record else { throw Self.ownParent(record) }
        guard isVisible(parent), let above = facts.lines[parent] else { throw missing(parent) }
        guard !above.names.contains(record) else { throw Self.ownParent(record) }
        guard above.names.count <= Limits.parentDepthMax else { throw Self.tooDeep(record, above.names.count) }
        guard !above.endsMissing else { throw missing(above.names.last!) }
        // What is below comes along.
        let depth = above.names.count + facts.levelsBelow
        guard depth <= Limits.parentDepthMax else { throw Self.tooDeep(record, depth) }
    }

    private func missing(_ parent: RecordName) -> CloudError {
        CloudError(.notFound, "the parent '\(parent)' does not exist in zone \(setting.zone.name)")
    }

    private static func ownParent(_ record: RecordName) -> CloudError {
        .badRequest("the record '\(record)' cannot be its own parent, nor its parent's parent")
    }

    private static func tooDeep(_ record: RecordName, _ depth: Int) -> CloudError {
        CloudError(
            .quotaExceeded,
            "with this parent, '\(record)' or a record below it would have \(depth) or more records above it; at most \(Limits.parentDepthMax) are allowed"
        )
    }
}
