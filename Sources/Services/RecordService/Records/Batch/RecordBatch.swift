import CloudModel
import RecordStore

/// The operations of one request on a zone: each is read for, decided and written, in order, so that one sees those before it.
///
/// An operation is written only when it was decided, so that one that fails leaves nothing behind.
struct RecordBatch {
    private let zone: ZoneCommit
    private let assets: AssetLedger
    private let reading: RecordReading
    private let writer: RecordWriter

    /// - Parameter findsUsersByAddress: whether an address leads to the user who has it; otherwise it is an invitation that the
    ///   user finds by accepting.
    init(_ zone: ZoneCommit, assets: AssetLedger, findsUsersByAddress: Bool = false, room: BatchRoom = BatchRoom()) {
        self.zone = zone
        self.assets = assets
        reading = RecordReading(zone, findsUsersByAddress: findsUsersByAddress, room: room)
        writer = RecordWriter(zone: zone)
    }

    /// Applies operations in order, except that a share which a record of the same request names as its own comes after that
    /// record.
    /// - Returns: the results, in the order of the operations.
    func apply(all operations: [RecordOperation]) throws -> [RecordResult] {
        try reading.readAhead(operations)
        let roots = Self.roots(operations)
        guard !roots.isEmpty else { return try operations.map { try apply($0) } }
        var results: [Int: RecordResult] = [:]
        for (index, operation) in operations.enumerated() where roots[index] == nil {
            results[index] = try apply(operation)
        }
        for (index, root) in roots.sorted(by: { $0.key < $1.key }) {
            var operation = operations[index]
            operation.share?.root = operations[root].recordName
            results[index] = try apply(operation)
            // The share is noted in the record at its top, which has another change tag by then.
            if case .record(let record)? = results[root], let changed = try zone.records.stored(record.name) {
                results[root] = .record(changed.record)
            }
        }
        return operations.indices.compactMap { results[$0] }
    }

    /// The places of shares that do not say what they share, with the places of the records that name them.
    private static func roots(_ operations: [RecordOperation]) -> [Int: Int] {
        var roots: [Int: Int] = [:]
        for (place, operation) in operations.enumerated() {
            guard let name = operation.shareName, operation.recordName != nil else { continue }
            let share = operations.firstIndex { $0.recordName == name && $0.share != nil && $0.share?.root == nil }
            if let share, name != .zoneShare { roots[share] = place }
        }
        return roots
    }

    private func apply(_ operation: RecordOperation) throws -> RecordResult {
        do {
            let facts = try reading.facts(for: operation)
            let rules = RecordRules(setting: zone.setting, facts: facts, assets: assets, seals: zone.seals)
            switch try rules.decide(operation) {
            case .nothing: return .deleted(facts.name)
            case .delete(let image):
                let cascade = try reading.cascade(of: facts.name)
                for referrer in cascade { try writer.delete(referrer) }
                try writer.delete(image)
                return .deleted(facts.name)
            case .leave(let share):
                try writer.leave(share.record.name, zone.setting.origin.user)
                return .deleted(facts.name)
            case .save(let draft):
                let save = try rules.finish(draft, at: try zone.transaction.nextSequence())
                try writer.save(save)
                return .record(save.after.record)
            }
        } catch let error as CloudError {
            return .failed(operation.recordName, error)
        }
    }
}
