import CloudModel
import RecordStore

/// The shares of a zone, as far as a request meets them: each is read once, and those of other records not at all.
final class ZoneShares {
    private let transaction: any ShareTransaction
    private let zone: ZoneID
    private let canBeShared: Bool
    private var hasAny: Bool?
    private var byRoot: [RecordName?: [StoredShare]] = [:]
    private var known: (shares: Int, participants: Int)?

    /// - Parameter canBeShared: only custom zones of private databases have shares.
    init(_ transaction: any ShareTransaction, _ zone: ZoneID, canBeShared: Bool) {
        self.transaction = transaction
        self.zone = zone
        self.canBeShared = canBeShared
    }

    /// Returns true if there are any.
    func exist() throws -> Bool {
        guard canBeShared else { return false }
        if let hasAny { return hasAny }
        let found = try transaction.hasShares(in: zone)
        hasAny = found
        return found
    }

    /// The shares of records, in their order.
    func of(_ records: [RecordName]) throws -> [StoredShare] {
        guard try exist() else { return [] }
        return try records.flatMap { try of(root: $0) }
    }

    /// The shares of the whole zone.
    func ofZone() throws -> [StoredShare] { try exist() ? of(root: nil) : [] }

    /// A share of a record below one; nil stands for the whole zone.
    func below(_ root: RecordName?) throws -> RecordName? {
        try exist() ? transaction.share(below: root, in: zone) : nil
    }

    /// The number of shares, and of their participants.
    func counts() throws -> (shares: Int, participants: Int) {
        if let known { return known }
        let found = try transaction.shareCounts(in: zone)
        known = found
        return found
    }

    /// Saves a share in place of the old one.
    func save(_ share: StoredShare) throws {
        try transaction.save(share)
        forget(share.details.root)
    }

    /// Deletes a share of a root.
    func delete(_ name: RecordName, of root: RecordName?) throws {
        try transaction.deleteShare(name, in: zone)
        forget(root)
    }

    /// Notes in the shares of records that their participants have to read the share again.
    func renew(_ records: [RecordName], at sequence: CommitSequence) throws {
        for var share in try of(records) {
            share.epoch = sequence
            try save(share)
        }
    }

    /// Notes the same in shares that a user has accepted.
    func renew(_ accepted: [AcceptedShare], at sequence: CommitSequence) throws {
        for accepted in accepted {
            guard var share = try transaction.share(accepted.name, in: zone) else { continue }
            share.epoch = sequence
            try save(share)
        }
    }

    /// A share that changed may have more or fewer participants.
    private func forget(_ root: RecordName?) {
        byRoot[root] = nil
        hasAny = nil
        known = nil
    }

    private func of(root: RecordName?) throws -> [StoredShare] {
        if let known = byRoot[root] { return known }
        let found = try transaction.shares(in: zone, of: root)
        byRoot[root] = found
        return found
    }
}
