import CloudModel
import RecordStore

extension RecordBatch {
    /// Tells those who take part in what changed, and may read it: whoever could read a record before alone learns that
    /// it is gone, and whoever can read it now alone that it has come.
    func publishToParticipants(_ kind: Change.Kind, before: Record?, after: Record?) throws {
        let shares = try sharesOfZone().map(\.details)
        guard !shares.isEmpty else { return }
        var changed = shares
        if let share = after?.shareDetails {
            changed = shares.map { $0.shortGUID == share.shortGUID ? share : $0 }
        }
        let readersBefore = try readers(of: before, shares)
        let readersAfter = try readers(of: after, changed)
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
    private func readers(of record: Record?, _ shares: [Share]) throws -> Set<UserRecordName> {
        guard let record else { return [] }
        let above = try chain(of: record)
        var people: Set<UserRecordName> = []
        for share in shares where share.root.map(above.contains) ?? true {
            people.formUnion(share.participants.lazy.filter(\.mayRead).map(\.user))
        }
        return people
    }

    /// Brings a zone back to somebody who had accepted and may read again.
    func renewAccess(of participant: Share.Participant, to name: RecordName, at sequence: Sequence) throws {
        let all = try sharesOfZone()
        let others = all.filter { $0.name != name && $0.details.grants(participant.user) }
        for var share in all where share.name == name || others.contains(where: { $0.name == share.name }) {
            share.epoch = sequence
            try transaction.save(share)
        }
        shares = nil
        guard others.isEmpty else { return }
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
