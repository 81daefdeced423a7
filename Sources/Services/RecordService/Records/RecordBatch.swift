import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// Applies the operations of one request within its transaction.
///
/// An operation checks everything before it changes anything, so that one that fails leaves nothing behind.
final class RecordBatch {
    let transaction: any StoreTransaction
    let database: DatabaseScope
    let zone: ZoneID
    let origin: Origin
    private let layout: TopicLayout
    private let store: UInt64
    let schema: SchemaInference
    private let assets: AssetLedger
    let time: Timestamp
    /// What the caller may do in a zone of another user; nil in the caller's own.
    var access: SharedAccess?
    /// Whether an address leads to the user who has it; otherwise it is an invitation that the user finds by accepting.
    var findsUsersByAddress = false
    /// What is above records of the zone.
    let lineage: Lineage
    /// The shares of the zone, as far as they were met.
    let shares: ZoneShares
    /// What the operations of the request may still do beside what they say.
    var room = BatchRoom()
    /// What is counted for users.
    let usage: UsageLedger
    /// Bytes of bodies that were read or written.
    var sizes: [RecordName: Int] = [:]
    /// Those who are invited by the operation that runs: they become users when it succeeds.
    var invited: [(name: UserRecordName, address: String)] = []

    init(
        transaction: any StoreTransaction, layout: TopicLayout, store: UInt64, schema: SchemaInference,
        database: DatabaseScope, zone: ZoneID, origin: Origin, assets: AssetLedger,
        quotas: UsageQuotas = UsageQuotas(), time: Timestamp
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
        usage = UsageLedger(transaction, quotas)
        lineage = Lineage(transaction, database, zone)
        shares = ZoneShares(
            transaction, zone, canBeShared: database == .private && zone.name != .defaultZone)
    }

    func apply(_ operation: RecordOperation) throws -> RecordResult {
        do {
            switch operation.kind {
            case .create, .update, .forceUpdate, .replace, .forceReplace: return .record(try save(operation))
            case .delete, .forceDelete: return .deleted(try delete(operation))
            }
        } catch let error as CloudError {
            return .failed(operation.recordName, error)
        }
    }

    private func save(_ operation: RecordOperation) throws -> Record {
        invited = []
        let name = operation.recordName ?? RecordName(trusted: UniqueName.make())
        let existing = try record(name)
        try check(operation, name, existing)
        try checkAccess(operation, name, existing)
        let type = try recordType(of: operation, existing)
        if existing == nil, database == .public {
            try publicAccess.require(.create, of: type, schema.permissions(of: type), record: nil)
        }
        let details = try shareDetails(operation, name, type, existing)
        let changes = try schema.typed(operation.fields, of: type)
        var fields = operation.kind.isReplacing ? RecordFields() : existing?.fields ?? RecordFields()
        for (field, value) in changes { fields[field] = value }
        let parent = operation.parent ?? (operation.kind.isReplacing ? nil : existing?.parent)
        try checkReferences(changes.values, of: name)
        try checkParent(operation.parent ?? nil, of: name, before: existing)
        try assets.check(changes, of: type, existing, transaction)
        let sequence = try transaction.nextSequence()
        let stamp = RecordStamp(timestamp: time, user: origin.user, device: origin.device)
        let record = Record(
            type: type, name: name, zone: zone, changeTag: ChangeTag.make(sequence),
            created: existing?.created ?? stamp, modified: stamp, fields: fields, parent: parent,
            share: existing?.share, shareDetails: details)
        let body = RecordMessage(record).encoded()
        guard body.count <= Limits.recordBytesMax else {
            throw CloudError(
                .quotaExceeded,
                "the record '\(name)' has \(body.count) bytes; at most \(Limits.recordBytesMax) are allowed")
        }
        try checkUsage(before: existing, after: record, bytes: body.count)
        try usage.check(Int64(invited.count), .invitedAddresses, of: origin.user)
        let parts = try schema.newParts(changes, of: type)
        try usage.check(Int64(parts), .schemaParts, of: origin.user)
        try schema.define(changes, of: type)
        try usage.add(Int64(parts), .schemaParts, of: origin.user)
        try transaction.save(
            StoredRecord(id: id(name), type: type, sequence: sequence, body: body, parent: parent),
            index: try schema.indexing(of: type).index(of: record))
        try countUsage(before: existing, after: record, bytes: body.count)
        lineage.note(parent.map { .below($0) } ?? .top, of: name)
        try noteMove(of: record, before: existing, at: sequence)
        try noteCascades(of: record, before: existing)
        try publish(sequence, existing == nil ? .created : .updated, before: existing, after: record)
        if details != nil { try settleShare(record, before: existing, at: sequence) }
        return record
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

    /// Remembers which records a saved one is deleted with; costs nothing for those without such references.
    private func noteCascades(of record: Record, before: Record?) throws {
        let targets = record.cascadingReferences
        guard targets != before?.cascadingReferences ?? [] else { return }
        try transaction.setCascadingReferences(of: id(record.name), to: targets)
    }

    /// What the caller may do in the public database.
    var publicAccess: PublicAccess { PublicAccess(user: origin.user) }

    func publish(_ sequence: CommitSequence, _ kind: Change.Kind, before: Record?, after: Record?) throws {
        try AssetLedger.count(transaction, before: before, after: after, at: time)
        let change = Change(
            sequence: sequence, lastSubscription: try transaction.lastSubscriptionSequence(), database: database,
            kind: kind, before: before, after: after, committed: time, origin: origin,
            reader: database == .public ? try schema.permissions(of: (after ?? before)!.type).reader : .world)
        try transaction.append(
            OutboxRow(
                sequence: sequence, destination: .changes(database),
                key: layout.changeKey(database, change.matched!), value: ChangeEvent(change, store: store).encoded(),
                time: time))
        try publishToParticipants(kind, before: before, after: after)
    }

    /// Adds a change of the shared database for those who take part in what changed: of a record, or of the zone, which
    /// came into their databases or went from them.
    func append(
        _ kind: Change.Kind, before: Record? = nil, after: Record? = nil, participants: [UserRecordName]
    ) throws {
        for part in participants.parts(of: Limits.participantsPerChangeMax) {
            let sequence = try transaction.nextSequence()
            let change = Change(
                sequence: sequence, lastSubscription: try transaction.lastSubscriptionSequence(), database: .shared,
                kind: kind, before: before, after: after, committed: time, origin: origin,
                zone: before == nil && after == nil ? zone : nil, participants: Array(part))
            try transaction.append(
                OutboxRow(
                    sequence: sequence, destination: .changes(.shared), key: layout.zoneChangeKey(zone),
                    value: ChangeEvent(change, store: store).encoded(), time: time))
        }
    }

    /// A record that the caller may see.
    func record(_ name: RecordName) throws -> Record? { try isVisible(name) ? stored(name) : nil }

    /// Whether there is a record that the caller may see; its body is not read.
    func isVisible(_ name: RecordName) throws -> Bool {
        guard try lineage.link(of: name) != .missing else { return false }
        return try permission(for: name) != .none
    }

    /// What the caller may do with a record that is there.
    func permission(for name: RecordName) throws -> Share.Permission {
        guard let access else { return .readWrite }
        return access.permission(for: try lineage.line(from: name))
    }

    /// A record, whoever may see it.
    func stored(_ name: RecordName) throws -> Record? {
        try transaction.record(id(name)).map { stored in
            sizes[name] = stored.body.count
            return try RecordMessage(decoding: stored.body).record()
        }
    }

    func id(_ name: RecordName) -> RecordID { RecordID(database: database, zone: zone, name: name) }
}

extension Record {
    /// The records that this one is deleted with.
    var cascadingReferences: Set<RecordName> {
        var targets: Set<RecordName> = []
        for entry in fields.entries {
            for reference in entry.value.references where reference.action == .deleteSelf {
                targets.insert(reference.recordName)
            }
        }
        return targets
    }
}
