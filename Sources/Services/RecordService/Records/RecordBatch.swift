import CloudModel
import EventLog
import Messages
import RecordStore

/// Applies the operations of one request within its transaction.
///
/// An operation checks everything before it changes anything, so that one that fails leaves nothing behind.
final class RecordBatch {
    private let transaction: any StoreTransaction
    private let layout: TopicLayout
    private let store: UInt64
    private let schema: SchemaInference
    private let database: DatabaseScope
    private let zone: ZoneID
    private let origin: Origin
    private let assets: AssetLedger
    private let time: Timestamp

    init(
        transaction: any StoreTransaction, layout: TopicLayout, store: UInt64, schema: SchemaInference,
        database: DatabaseScope, zone: ZoneID, origin: Origin, assets: AssetLedger, time: Timestamp
    ) {
        self.transaction = transaction
        self.layout = layout
        self.store = store
        self.schema = schema
        self.database = database
        self.zone = zone
        self.origin = origin
        self.assets = assets
        self.time = time
    }

    func apply(_ operation: RecordOperation) throws -> RecordResult {
        do {
            switch operation.kind {
            case .create, .update, .forceUpdate: return .record(try save(operation))
            case .delete: return .deleted(try delete(operation))
            }
        } catch let error as CloudError {
            return .failed(operation.recordName, error)
        }
    }

    private func save(_ operation: RecordOperation) throws -> Record {
        let name = operation.recordName ?? RecordName(trusted: UniqueName.make())
        let existing = try record(name)
        try check(operation, name, existing)
        let type = try recordType(of: operation, existing)
        let changes = try schema.typed(operation.fields, of: type)
        var fields = existing?.fields ?? RecordFields()
        for (field, value) in changes { fields[field] = value }
        try checkReferences(changes.values)
        try assets.check(changes, of: type, existing, transaction)
        let sequence = try transaction.nextSequence()
        let stamp = RecordStamp(timestamp: time, user: origin.user, device: origin.device)
        let record = Record(
            type: type, name: name, zone: zone, changeTag: ChangeTag.make(sequence),
            created: existing?.created ?? stamp, modified: stamp, fields: fields)
        let body = RecordMessage(record).encoded()
        guard body.count <= Limits.recordBytesMax else {
            throw CloudError(
                .quotaExceeded,
                "the record '\(name)' has \(body.count) bytes; at most \(Limits.recordBytesMax) are allowed")
        }
        try schema.define(changes, of: type)
        try transaction.save(StoredRecord(id: id(name), type: type, sequence: sequence, body: body))
        try publish(sequence, existing == nil ? .created : .updated, before: existing, after: record)
        return record
    }

    private func delete(_ operation: RecordOperation) throws -> RecordName {
        guard let name = operation.recordName else {
            throw CloudError.badRequest("delete needs the recordName of what is to be deleted")
        }
        let existing = try record(name)
        try check(operation, name, existing)
        let sequence = try transaction.nextSequence()
        try transaction.deleteRecord(id(name))
        try publish(sequence, .deleted, before: existing, after: nil)
        return name
    }

    /// Whether the operation may be applied to what is there.
    private func check(_ operation: RecordOperation, _ name: RecordName, _ existing: Record?) throws(CloudError) {
        switch (operation.kind, existing) {
        case (.create, _?):
            throw CloudError(.exists, "the record '\(name)' exists already; use update with its recordChangeTag")
        case (.update, nil), (.delete, nil):
            throw CloudError(.notFound, "there is no record '\(name)' in zone \(zone.name)")
        case (.update, let existing?), (.delete, let existing?):
            guard let tag = operation.changeTag else {
                throw .badRequest("\(operation.kind.rawValue) of '\(name)' needs the recordChangeTag that you last saw")
            }
            guard tag == existing.changeTag else {
                throw CloudError(
                    .conflict,
                    "the record '\(name)' was changed since you read it: its recordChangeTag is '\(existing.changeTag)', not '\(tag)'; read it again"
                )
            }
        default: break
        }
        if let existing, database == .public, existing.created.user != origin.user {
            throw CloudError(
                .accessDenied, "the record '\(name)' belongs to another user; only its creator may change it")
        }
    }

    private func recordType(of operation: RecordOperation, _ existing: Record?) throws(CloudError) -> RecordType {
        guard let given = operation.recordType ?? existing?.type else {
            throw .badRequest("\(operation.kind.rawValue) needs a recordType")
        }
        if let existing, existing.type != given {
            throw .badRequest(
                "the record '\(existing.name)' is of type \(existing.type), not \(given); types cannot change")
        }
        return given
    }

    private func checkReferences(_ values: some Collection<FieldValue?>) throws {
        for case .reference(let reference)? in values {
            // Another zone may be another user's: what is there or not is nobody else's affair.
            guard reference.zone ?? zone == zone else {
                throw CloudError.badRequest(
                    "the reference to '\(reference.recordName)' leads into another zone; it has to stay in its own")
            }
            guard reference.action == .validate else { continue }
            let target = RecordID(database: database, zone: zone, name: reference.recordName)
            guard try transaction.record(target) != nil else {
                throw CloudError(
                    .validatingReferenceError,
                    "the record '\(reference.recordName)' that a VALIDATE reference names does not exist")
            }
        }
    }

    private func publish(_ sequence: Sequence, _ kind: Change.Kind, before: Record?, after: Record?) throws {
        try AssetLedger.count(transaction, before: before, after: after, at: time)
        let change = Change(
            sequence: sequence, lastSubscription: try transaction.lastSubscriptionSequence(), database: database,
            kind: kind, before: before, after: after, committed: time, origin: origin)
        try transaction.append(
            OutboxRow(
                sequence: sequence, destination: .changes(database),
                key: layout.changeKey(database, change.matched!), value: ChangeEvent(change, store: store).encoded(),
                time: time))
    }

    private func record(_ name: RecordName) throws -> Record? {
        try transaction.record(id(name)).map { try RecordMessage(decoding: $0.body).record() }
    }

    private func id(_ name: RecordName) -> RecordID { RecordID(database: database, zone: zone, name: name) }
}
