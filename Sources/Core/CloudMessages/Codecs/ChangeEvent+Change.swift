package import CloudModel
import EventLog

extension OriginMessage {
    /// The origin as it is published.
    package init(_ origin: Origin) {
        self.init(
            user: origin.user.rawValue, device: origin.device.map(\.rawValue), epoch: origin.epoch.map(\.rawValue))
    }

    /// The origin.
    package var origin: Origin {
        Origin(
            user: UserRecordName(trusted: user), device: device.map { DeviceID(trusted: $0) },
            epoch: epoch.map { DeviceEpoch($0) })
    }
}

extension ChangeEvent {
    /// The value of `reader` for nobody.
    private static let nobody = 3

    /// The change as it is published by the relay of a store.
    package init(_ change: Change, store: UInt64) {
        self.init(
            source: SourcePositionMessage(
                SourcePosition(source: .store(store), offset: change.sequence.rawValue)),
            lastSubscription: change.lastSubscription.rawValue, database: change.database.rawValue,
            kind: change.kind.rawValue, before: change.before.map { RecordMessage($0) },
            after: change.after.map { RecordMessage($0) }, committed: change.committed.milliseconds,
            origin: OriginMessage(change.origin), zone: change.zone.map { ZoneMessage($0) },
            participants: change.participants.map(\.rawValue),
            reader: Int32(change.reader?.rawValue ?? Self.nobody))
    }

    /// The boundary behind a subscription with a backfill, written to each partition of its database's changes.
    package static func boundary(
        in database: DatabaseScope, at sequence: CommitSequence, _ time: Timestamp, store: UInt64
    ) -> ChangeEvent {
        var event = ChangeEvent()
        event.source = SourcePositionMessage(SourcePosition(source: .store(store), offset: sequence.rawValue))
        event.database = database.rawValue
        event.committed = time.milliseconds
        event.boundary = true
        return event
    }

    /// The change.
    package func change() throws(MalformedMessage) -> Change {
        let change = Change(
            sequence: CommitSequence(try required(source, "a change's source").offset),
            lastSubscription: CommitSequence(lastSubscription),
            database: try required(DatabaseScope(rawValue: database), "a change's database"),
            kind: try required(Change.Kind(rawValue: kind), "a change's kind"),
            before: try before?.record(), after: try after?.record(),
            committed: Timestamp(milliseconds: committed),
            origin: try required(origin, "a change's origin").origin, zone: zone?.zoneID,
            participants: participants.map { UserRecordName(trusted: $0) },
            reader: TypePermissions.Role(rawValue: Int(reader)))
        _ = try required(change.affectedZone, "a change's record or zone")
        return change
    }
}
