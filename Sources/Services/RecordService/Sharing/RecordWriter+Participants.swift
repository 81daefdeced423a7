import CloudModel
import RecordStore

extension RecordWriter {
    /// Publishes a change to the participants who may read it.
    func publishToParticipants(_ kind: Change.Kind, before: RecordImage?, after: RecordImage?) throws {
        guard try zone.shares.exist() else { return }
        let change = SharedChange(
            kind: kind, before: before, after: after, readersBefore: try readers(of: before?.record, changed: nil),
            readersAfter: try readers(of: after?.record, changed: after?.record.shareDetails))
        for audience in change.audiences {
            try notify(audience.kind, before: audience.before, after: audience.after, audience.people.sorted())
        }
    }

    /// Publishes a change of the shared database to the participants: of a record, or of the zone, which came into
    /// their databases or left them.
    func notify(
        _ kind: Change.Kind, before: RecordImage? = nil, after: RecordImage? = nil, _ participants: [UserRecordName]
    ) throws {
        let isZone = before == nil && after == nil
        for part in participants.parts(of: Limits.participantsPerChangeMax) {
            try commit.publish(
                CommittedChange(
                    kind: kind, database: .shared, origin: setting.origin, before: before, after: after,
                    zone: isZone ? setting.zone : nil, participants: Array(part)))
        }
    }

    /// The users who may read a record because it is shared with them.
    /// - Parameter changed: a share as it is about to be.
    private func readers(of record: Record?, changed: Share?) throws -> Set<UserRecordName> {
        guard let record else { return [] }
        var people: Set<UserRecordName> = []
        for stored in try zone.shares.ofZone() + zone.shares.of(zone.records.line(of: record)) {
            let share = changed.flatMap { $0.shortGUID == stored.details.shortGUID ? $0 : nil } ?? stored.details
            people.formUnion(share.participants.lazy.filter(\.mayRead).map(\.user))
        }
        return people
    }

    /// The shared records that a record is below, or is itself.
    func sharedRoots(of record: Record) throws -> [RecordName] {
        guard try zone.shares.exist() else { return [] }
        return try zone.shares.of(zone.records.line(of: record)).compactMap(\.details.root)
    }

    /// A record that moves, or comes between others, takes its descendants along: its readers have to start again.
    func noteMove(of record: Record, before: Record?, at sequence: CommitSequence) throws {
        guard try zone.shares.exist(), before == nil || before?.parent != record.parent else { return }
        guard try before != nil || transaction.hasChildren(setting.id(record.name)) else { return }
        var seen: Set<RecordName> = []
        let line = try (zone.records.line(of: before) + zone.records.line(of: record)).filter {
            seen.insert($0).inserted
        }
        try zone.shares.renew(line, at: sequence)
    }

    /// Records below one that is deleted are no longer shared.
    func noteRemoval(of record: Record, at sequence: CommitSequence) throws {
        guard try zone.shares.exist(), try transaction.hasChildren(setting.id(record.name)) else { return }
        try zone.shares.renew(try zone.records.line(of: record), at: sequence)
    }
}
