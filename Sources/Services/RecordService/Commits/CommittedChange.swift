import CloudMessages
import CloudModel
import ProtocolBuffers
import Telemetry

/// A change of a record or of a zone that a commit publishes.
struct CommittedChange {
    var kind: Change.Kind
    /// The database in which the change is visible; a change of the shared database comes with one of the private
    /// database.
    var database: DatabaseScope
    var origin: Origin
    var before: RecordImage?
    var after: RecordImage?
    /// The zone that was created or deleted, in changes without a record.
    var zone: ZoneID?
    /// Users of the share.
    var participants: [UserRecordName] = []
    /// The least role that may read the record in the public database; nil when nobody may.
    var reader: TypePermissions.Role? = .world

    /// The change as an entry of its topic, but for the subscription event that it waits for: the relay adds it.
    /// Records go into it as they are stored.
    /// - Parameter trace: the request's.
    func encoded(
        sequence: CommitSequence, at time: Timestamp, store: UInt64, trace: TraceContext? = nil
    ) -> [UInt8] {
        let change = Change(
            sequence: sequence, lastSubscription: .zero, database: database, kind: kind, before: nil,
            after: nil, committed: time, origin: origin, zone: zone, participants: participants, reader: reader)
        var event = ChangeEvent(change, store: store)
        event.trace = trace?.bytes ?? []
        return event.encoded(before: before?.body, after: after?.body)
    }

    /// The key of the entry.
    func key(_ layout: TopicLayout) -> [UInt8]? {
        guard let record = (after ?? before)?.record else { return zone.map(layout.zoneChangeKey) }
        return database == .shared ? layout.zoneChangeKey(record.zone) : layout.changeKey(database, record)
    }
}
