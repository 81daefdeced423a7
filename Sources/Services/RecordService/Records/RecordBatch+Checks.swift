import CloudModel
import RecordStore

extension RecordBatch {
    /// Whether the operation may be applied to what is there.
    func check(_ operation: RecordOperation, _ name: RecordName, _ existing: Record?) throws {
        if let existing {
            guard operation.kind != .create else {
                throw CloudError(.exists, "the record '\(name)' exists already; use update with its recordChangeTag")
            }
            if operation.kind.needsChangeTag { try checkTag(operation, existing) }
            if database == .public {
                try publicAccess.require(
                    .write, of: existing.type, schema.permissions(of: existing.type), record: existing)
            }
        } else if operation.kind.needsRecord {
            throw CloudError(.notFound, "there is no record '\(name)' in zone \(zone.name)")
        }
    }

    private func checkTag(_ operation: RecordOperation, _ existing: Record) throws(CloudError) {
        guard let tag = operation.changeTag else {
            throw .badRequest(
                "\(operation.kind.rawValue) of '\(existing.name)' needs the recordChangeTag that you last saw")
        }
        guard tag == existing.changeTag else {
            throw CloudError(
                .conflict,
                "the record '\(existing.name)' was changed since you read it: its recordChangeTag is '\(existing.changeTag)', not '\(tag)'; read it again"
            )
        }
    }

    /// References stay in their zone, find what they validate, and are not too many to one record.
    func checkReferences(_ values: some Collection<FieldValue?>, of record: RecordName) throws {
        for reference in values.flatMap({ $0?.references ?? [] }) {
            // Another zone may be another user's: what is there or not is nobody else's affair.
            guard reference.zone ?? zone == zone else {
                throw CloudError.badRequest(
                    "the reference to '\(reference.recordName)' leads into another zone; it has to stay in its own")
            }
            let target = id(reference.recordName)
            switch reference.action {
            case .none: break
            case .validate:
                guard try isVisible(reference.recordName) else {
                    throw CloudError(
                        .validatingReferenceError,
                        "the record '\(reference.recordName)' that a VALIDATE reference names does not exist")
                }
            case .deleteSelf:
                let others = try transaction.cascadingReferrerCount(of: target, except: record)
                guard others < Limits.deleteSelfReferencesMax else {
                    throw CloudError(
                        .quotaExceeded,
                        "the record '\(reference.recordName)' has \(others) DELETE_SELF references; at most \(Limits.deleteSelfReferencesMax) are allowed"
                    )
                }
            }
        }
    }

    /// A parent is another record that exists, no record is above itself, and not too many are above one another.
    func checkParent(_ parent: RecordName?, of record: RecordName, before: Record?) throws {
        guard let parent else { return }
        guard parent != record else { throw Self.ownParent(record) }
        guard try isVisible(parent) else { throw missing(parent) }
        let above = try lineage.line(from: parent)
        guard !above.contains(record) else { throw Self.ownParent(record) }
        guard above.count <= Limits.parentDepthMax else { throw Self.tooDeep(record, above.count) }
        guard try lineage.link(of: above.last!) != .missing else { throw missing(above.last!) }
        guard before == nil || before?.parent != parent else { return }
        // What is below comes along. Where it is too much to look at, those that lie too deep are cut off from what is
        // shared above them: no walk goes further than the limit.
        let below = try transaction.levels(
            below: id(record), levelsMax: Limits.parentDepthMax, recordsMax: room.movedRecords)
        room.movedRecords -= below.records
        guard above.count + below.levels <= Limits.parentDepthMax else {
            throw Self.tooDeep(record, above.count + below.levels)
        }
    }

    private func missing(_ parent: RecordName) -> CloudError {
        CloudError(.notFound, "the parent '\(parent)' does not exist in zone \(zone.name)")
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
