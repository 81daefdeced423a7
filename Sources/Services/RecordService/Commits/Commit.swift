import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import RecordStore
import Telemetry

/// A transaction of a use case, and the values that its changes share. Rows of the outbox are made here only.
/// Publishing a change counts the references to files that it adds and removes.
struct Commit {
    let transaction: any StoreTransaction
    let layout: TopicLayout
    /// The incarnation of the store, which names the source of published changes.
    let store: UInt64
    /// The time of all changes.
    let time: Timestamp
    /// The time by the service clock: the stamp of rows that are removed after a while.
    let serviceTime: Timestamp
    /// The trace of the request; nil where it is in none that is kept.
    var trace: TraceContext?
    /// The rows that it has added to the outbox.
    let tally = OutboxTally()

    /// A record as it is stored; nil when there is none.
    func image(_ id: RecordID) throws -> RecordImage? {
        try transaction.record(id).map { try RecordImage(stored: $0.body) }
    }

    /// Publishes a change of a record or zone.
    /// - Parameter sequence: the change's place; nil takes the next one.
    func publish(_ change: CommittedChange, at sequence: CommitSequence? = nil) throws {
        let sequence = try sequence ?? transaction.nextSequence()
        // A change of the shared database shows one that is counted already.
        if change.database != .shared {
            try countReferences(before: change.before?.record, after: change.after?.record)
        }
        guard let key = change.key(layout) else { return }
        let value = change.encoded(sequence: sequence, at: time, store: store, trace: trace)
        try append(.changes(change.database), sequence, key, value)
    }

    /// Publishes a version of a subscription, or its deletion.
    func publish(_ subscription: SubscriptionKey, _ event: [UInt8], at sequence: CommitSequence) throws {
        try append(.subscriptions, sequence, layout.subscriptionKey(subscription, sequence), event)
    }

    /// Removes a version of a subscription from its topic.
    /// - Parameter key: of its entry.
    func retract(_ key: [UInt8]) throws {
        try append(.subscriptions, try transaction.nextSequence(), key, nil)
    }

    /// Publishes an event of a user's devices.
    func publish(_ event: DeliveryEntry.Event, of user: UserRecordName, at sequence: CommitSequence) throws {
        try deliver(event, to: user, at: sequence)
        try transaction.noteDeviceEvent(of: user, sequence)
    }

    /// Publishes that a delivery is due, and takes it out of those that will be.
    func publish(_ delivery: DueDelivery) throws {
        try transaction.remove(delivery)
        try deliver(.deliveryDue(DeliveryDue(at: delivery.at)), to: delivery.user, at: try transaction.nextSequence())
    }

    /// Publishes the end of a user, behind all events of the user's.
    func publishRemoval(of user: UserRecordName) throws {
        try deliver(.userRemoved(UserRemoved()), to: user, at: try transaction.nextSequence())
    }

    private func deliver(
        _ event: DeliveryEntry.Event, to user: UserRecordName, at sequence: CommitSequence
    ) throws {
        let source = SourcePosition(source: .store(store), offset: sequence.rawValue)
        let entry = DeliveryEntry(
            source: SourcePositionMessage(source), user: user.rawValue, time: time.milliseconds, event: event)
        try append(.deliveries, sequence, layout.userKey(user), entry.encoded())
    }

    /// Publishes a boundary into each partition of a database's changes, behind subscriptions that begin in the past.
    /// - Parameter user: the owner of the subscriptions; of a private database one partition has changes. Nil means all
    ///   users.
    func publishBoundaries(in database: DatabaseScope, for user: UserRecordName? = nil) throws {
        let own = database == .private ? user.map { layout.partition(of: layout.userKey($0)) } : nil
        for key in layout.boundaryKeys where own == nil || layout.partition(of: key) == own {
            let sequence = try transaction.nextSequence()
            let event = ChangeEvent.boundary(in: database, at: sequence, time, store: store)
            try append(.changes(database), sequence, key, event.encoded())
        }
    }

    /// Releases the asset references of records that are deleted with their zone. The zone's change covers the records.
    func discard(_ records: [Record]) throws {
        for record in records { try countReferences(before: record, after: nil) }
    }

    /// Adds a row.
    func append(
        _ destination: OutboxRow.Destination, _ sequence: CommitSequence, _ key: [UInt8], _ value: [UInt8]?
    ) throws {
        try transaction.append(
            OutboxRow(sequence: sequence, destination: destination, key: key, value: value, time: time))
        if case .changes(let database) = destination {
            tally.changes.insert(
                DeliveryWatch.ChangePartition(database: database, number: layout.partition(of: key)))
        }
        tally.add(sequence, bytes: value?.count ?? 0)
    }

    private func countReferences(before: Record?, after: Record?) throws {
        var differences: [String: Int64] = [:]
        for entry in before?.fields.entries ?? [] {
            for asset in entry.value.assets { differences[asset.fileChecksum, default: 0] -= 1 }
        }
        for entry in after?.fields.entries ?? [] {
            for asset in entry.value.assets { differences[asset.fileChecksum, default: 0] += 1 }
        }
        for (checksum, difference) in differences where difference != 0 {
            try transaction.countReferences(to: checksum, by: difference, at: serviceTime)
        }
    }
}
