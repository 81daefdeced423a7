import CloudModel
import RecordStore

extension RecordBatch {
    /// Tells those who take part in what changed, and may read it: whoever could read a record before alone learns that
    /// it is gone, and whoever can read it now alone that it has come.
    func publishToParticipants(_ kind: Change.Kind, before: Record?, after: Record?) throws {
        guard try shares.exist() else { return }
        let readersBefore = try readers(of: before, changed: nil)
        let readersAfter = try readers(of: after, changed: after?.shareDetails)
        func tell(_ people: Set<UserRecordName>, _ kind: Change.Kind, _ before: Record?, _ after: Record?) throws {
            guard !people.isEmpty else { return }
            try append(kind, before: before, after: after, participants: people.sorted())
        }
        guard before != nil, after != nil else {
            return try tell(readersBefore.union(readersAfter), kind, before, after)
        }
        // To those whom a change of a share takes in or leaves out, the zone comes and goes.
        let isMove = after?.shareDetails == nil
        if isMove { try tell(readersBefore.subtracting(readersAfter), .deleted, before, nil) }
        try tell(readersBefore.intersection(readersAfter), kind, before, after)
        if isMove { try tell(readersAfter.subtracting(readersBefore), .created, nil, after) }
    }

    /// Who may read a record because it is shared with them.
    /// - Parameter changed: a share as it is about to be.
    private func readers(of record: Record?, changed: Share?) throws -> Set<UserRecordName> {
        guard let record else { return [] }
        var people: Set<UserRecordName> = []
        for stored in try shares.ofZone() + shares.of(lineage.line(of: record)) {
            let share = changed.flatMap { $0.shortGUID == stored.details.shortGUID ? $0 : nil } ?? stored.details
            people.formUnion(share.participants.lazy.filter(\.mayRead).map(\.user))
        }
        return people
    }

    /// Brings a zone back to somebody who had accepted and may read again.
    func renewAccess(of participant: Share.Participant, to name: RecordName, at sequence: CommitSequence) throws {
        let readable = try transaction.acceptedShares(of: participant.user, in: zone)
        for accepted in readable {
            guard var share = try transaction.share(accepted.name, in: zone) else { continue }
            share.epoch = sequence
            try transaction.save(share)
            shares.forget(accepted.root)
        }
        guard !readable.contains(where: { $0.name != name }) else { return }
        try transaction.removeZoneTombstone(zone, of: participant.user, in: .shared)
        try append(.created, participants: [participant.user])
    }
}

extension Share.Participant {
    /// Whether the user has accepted, and may see what is shared.
    var mayRead: Bool { accepted != nil && permission != .none }
}

extension Share {
    /// Whether a user may read what is shared, having accepted.
    func grants(_ user: UserRecordName) -> Bool { participants.contains { $0.user == user && $0.mayRead } }
}
