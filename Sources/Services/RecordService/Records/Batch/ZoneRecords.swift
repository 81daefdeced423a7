import CloudModel
import RecordStore

/// The records of a zone as a commit sees them, its own writes included. Names of the request are read ahead in one
/// query.
final class ZoneRecords {
    /// Bytes of bodies that are read ahead; the others are read in turn.
    static let bytesAheadMax = Limits.stepBytes

    private let transaction: any StoreTransaction
    private let setting: ZoneSetting
    private let lineage: Lineage
    private var ahead: [RecordName: StoredRecord] = [:]
    /// Records that were saved because another was, since they were last taken out.
    private var rewritten: Set<RecordName> = []

    init(_ transaction: any StoreTransaction, _ setting: ZoneSetting) {
        self.transaction = transaction
        self.setting = setting
        lineage = Lineage(transaction, setting.database, setting.zone)
    }

    /// Reads links and records of many names.
    func readAhead(_ names: [RecordName]) throws {
        try lineage.readAhead(names, levelsMax: setting.access == nil ? 0 : Limits.parentDepthMax)
        let ids = try names.filter(isVisible).map(setting.id)
        var bytes = 0
        do {
            try transaction.records(ids) { stored in
                bytes += stored.body.count
                guard bytes <= Self.bytesAheadMax else { throw EnoughRead() }
                ahead[stored.id.name] = stored
            }
        } catch is EnoughRead {}
    }

    /// A record that the caller may see.
    func visible(_ name: RecordName) throws -> RecordImage? { try isVisible(name) ? stored(name) : nil }

    /// A record, visible to the caller or not.
    func stored(_ name: RecordName) throws -> RecordImage? {
        let stored = try ahead.removeValue(forKey: name) ?? transaction.record(setting.id(name))
        return try stored.map { try RecordImage(stored: $0.body) }
    }

    /// True if the caller may see the record; its body is not read.
    func isVisible(_ name: RecordName) throws -> Bool {
        guard try lineage.link(of: name) != .missing else { return false }
        return try setting.access == nil || setting.permission(for: lineage.line(from: name)) != .none
    }

    /// A record and those above it; nil when there is no such record.
    func line(from name: RecordName) throws -> RecordLine? {
        guard try lineage.link(of: name) != .missing else { return nil }
        let names = try lineage.line(from: name)
        return RecordLine(names: names, endsMissing: try lineage.link(of: names.last!) == .missing)
    }

    /// The link from a record to its parent, whether the caller may see it or not.
    func link(of name: RecordName) throws -> ParentLink { try lineage.link(of: name) }

    /// The same for a record as it is, or was; none for none.
    func line(of record: Record?) throws -> [RecordName] { try lineage.line(of: record) }

    /// Saves a record in place of the old one.
    func save(_ image: RecordImage, at sequence: CommitSequence, index: RecordIndex) throws {
        let record = image.record
        try transaction.save(
            StoredRecord(
                id: setting.id(record.name), type: record.type, sequence: sequence, body: image.body,
                parent: record.parent), index: index)
        ahead[record.name] = nil
        lineage.note(record.parent.map { .below($0) } ?? .top, of: record.name)
    }

    /// Notes that a record was saved because another was.
    func noteRewritten(_ name: RecordName) { rewritten.insert(name) }

    /// Takes the records out that were saved because another was.
    func takeRewritten() -> Set<RecordName> {
        defer { rewritten = [] }
        return rewritten
    }

    /// Deletes a record.
    /// - Parameter roots: the shared records that it was below, or itself.
    func delete(_ name: RecordName, at sequence: CommitSequence, roots: [RecordName]) throws {
        try transaction.deleteRecord(setting.id(name), at: sequence, setting.serviceTime, roots: roots)
        ahead[name] = nil
        lineage.note(.missing, of: name)
    }
}

/// A record and those above it, as far as they are there: at most `parentDepthMax` above it.
struct RecordLine: Hashable {
    var names: [RecordName]
    /// True if the last of them is named as a parent but does not exist.
    var endsMissing = false
}

/// Ends reading ahead.
private struct EnoughRead: Error {}
