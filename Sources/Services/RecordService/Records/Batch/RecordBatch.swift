import CloudModel
import RecordStore

/// A commit's part of the operations of one request on a zone. Each is read for, decided and written in order, so that
/// it sees those before it.
///
/// An operation is written only after it was decided, so that a failed one leaves nothing behind.
struct RecordBatch {
    private let zone: ZoneCommit
    private let assets: AssetLedger
    private let reading: RecordReading
    private let writer: RecordWriter
    /// Bytes after which the commit takes nothing more of the request: others wait for it.
    private let stepBytes: Int

    /// - Parameters:
    ///   - findsUsersByAddress: true if an address leads to its user; otherwise it is an invitation that the user finds
    ///     by accepting.
    ///   - stepBytes: see `Limits.stepBytes`; the default ends the request in one commit.
    init(_ zone: ZoneCommit, assets: AssetLedger, findsUsersByAddress: Bool = false, stepBytes: Int = .max) {
        self.zone = zone
        self.assets = assets
        self.stepBytes = stepBytes
        reading = RecordReading(zone, findsUsersByAddress: findsUsersByAddress)
        writer = RecordWriter(zone: zone)
    }

    /// Applies operations in one commit.
    /// - Returns: the results, in the order of the operations.
    func apply(all operations: [RecordOperation]) throws -> [RecordResult] {
        var run = BatchRun(operations)
        try apply(&run)
        return run.all
    }

    /// Applies operations until all are done or the commit is full.
    func apply(_ run: inout BatchRun) throws {
        let start = zone.transaction.movedBytes
        try reading.readAhead(run.names)
        try run.arrange(in: zone)
        let before = zone.transaction.movedBytes
        run.room.take(before - start)
        while let place = run.next {
            let moved = zone.transaction.movedBytes
            let result = try apply(run.operations[place], at: place, &run)
            run.room.take(zone.transaction.movedBytes - moved)
            guard let result else { return }
            let circle = run.circle(of: place)
            guard circle.isEmpty || !result.isFailure else { throw BrokenCircle(places: circle) }
            run.finish(result)
            try amendRewritten(&run)
            let isFull = zone.transaction.movedBytes - before >= stepBytes
            guard isFull else { continue }
            // Those of a circle are saved in one commit.
            guard let next = run.next, circle.contains(next) else { return }
            guard zone.transaction.movedBytes - before < Limits.atomicBytesMax else {
                throw BrokenCircle(places: circle)
            }
        }
    }

    /// A share is noted in the record at its top when it begins and when it ends. If the request has saved that before, its
    /// answer has the record as it is then, with another change tag.
    private func amendRewritten(_ run: inout BatchRun) throws {
        for name in zone.records.takeRewritten() {
            guard let place = run.place(of: name), case .record? = run[place],
                let changed = try zone.records.stored(name)
            else { continue }
            run.amend(place, .record(changed.record))
        }
    }

    /// Returns nil if the operation goes on in the next commit.
    private func apply(_ operation: RecordOperation, at place: Int, _ run: inout BatchRun) throws -> RecordResult? {
        var operation = operation
        if let root = run.roots[place] { operation.share?.root = run.operations[root].recordName }
        do {
            try run.room.check(1, for: operation.recordName)
            let facts = try reading.facts(for: operation, at: place, &run)
            let rules = RecordRules(setting: zone.setting, facts: facts, assets: assets, seals: zone.seals)
            switch try rules.decide(operation) {
            case .nothing: return .deleted(facts.name)
            case .delete(let image):
                guard try deleteReferrers(of: image, &run) else { return nil }
                try writer.delete(image)
                return .deleted(facts.name)
            case .leave(let share):
                try writer.leave(share.record.name, zone.setting.origin.user)
                return .deleted(facts.name)
            case .keep(let image):
                try run.room.answer(image.body.count, for: facts.name)
                return .record(rules.answer(to: operation, image.record))
            case .save(let draft):
                let words = try reading.storedWords(of: draft, facts)
                let save = try rules.finish(draft, at: try zone.transaction.nextSequence(), words: words)
                try run.room.check(save.movedBytes, for: facts.name)
                try run.room.answer(save.after.body.count, for: facts.name)
                try writer.save(save)
                return .record(rules.answer(to: operation, save.after.record))
            }
        } catch let error as CloudError {
            return .failed(operation.recordName, error)
        }
    }

    /// Deletes the records that go with one, as far as this commit has room.
    /// - Returns: true when none is left.
    private func deleteReferrers(of image: RecordImage, _ run: inout BatchRun) throws -> Bool {
        var cascade = try run.cascade ?? reading.cascade(of: image, &run.room)
        let before = zone.transaction.movedBytes
        while let next = cascade.rest.popLast() {
            // Another request may have changed it between two commits.
            if let image = try zone.records.stored(next), image.record.isDeleted(with: cascade.doomed) {
                try writer.delete(image)
            }
            if zone.transaction.movedBytes - before >= stepBytes, !cascade.rest.isEmpty {
                run.cascade = cascade
                return false
            }
        }
        guard run.cascade != nil else { return true }
        // Those that came between two commits.
        run.cascade = nil
        return try deleteReferrers(of: image, &run)
    }
}

/// Undoes a commit, as one of the saves failed whose VALIDATE references form a circle: they are done again, each by
/// itself.
struct BrokenCircle: Error {
    let places: [Int]
}

extension Record {
    /// True if a reference of it with DELETE_SELF names one of these records.
    fileprivate func isDeleted(with doomed: Set<RecordName>) -> Bool {
        fields.entries.contains { entry in
            entry.value.references.contains { $0.action == .deleteSelf && doomed.contains($0.recordName) }
        }
    }
}
