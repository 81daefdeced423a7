import Foundation
import Synchronization

extension CKSyncEngine {
    /// A change of a record that is to be sent.
    public enum PendingRecordZoneChange: Hashable, Sendable {
        /// The record was made or changed.
        case saveRecord(CKRecord.ID)
        /// The record was deleted.
        case deleteRecord(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .saveRecord(let id), .deleteRecord(let id): id
            }
        }
    }

    /// A change of a zone that is to be sent.
    public enum PendingDatabaseChange: Hashable, Sendable {
        /// The zone was made.
        case saveZone(CKRecordZone)
        /// The zone was deleted.
        case deleteZone(CKRecordZone.ID)
    }

    /// The changes that were not sent yet, and the places that were read to.
    public final class State: Sendable {
        /// A state as an app keeps it: one value, `Codable`.
        public struct Serialization: Codable, Sendable {
            struct Zone: Codable, Hashable {
                var name: String
                var owner: String

                init(_ id: CKRecordZone.ID) {
                    name = id.zoneName
                    owner = id.ownerName
                }

                var id: CKRecordZone.ID { CKRecordZone.ID(zoneName: name, ownerName: owner) }
            }

            struct Change: Codable {
                var zone: Zone
                /// Nil for a change of the zone itself.
                var record: String?
                var isDeletion: Bool
            }

            struct Place: Codable {
                var zone: Zone
                var token: CKServerChangeToken
            }

            /// The user; nil before the first sync.
            var user: String?
            var databaseToken: CKServerChangeToken?
            var places: [Place] = []
            var unfetched: [Zone] = []
            var pending: [Change] = []
        }

        private struct Values: Sendable {
            var user: String?
            var databaseToken: CKServerChangeToken?
            var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
            var unfetched: [CKRecordZone.ID] = []
            var records = SyncQueue<PendingRecordZoneChange>()
            var zones = SyncQueue<PendingDatabaseChange>()
            var hasUntracked = false
            var isReportDue = false
            var changed: (@Sendable (_ isMore: Bool) -> Void)?
        }

        private let values = Mutex(Values())

        init(_ serialization: Serialization?) {
            guard let serialization else { return }
            values.withLock { values in
                values.user = serialization.user
                values.databaseToken = serialization.databaseToken
                for place in serialization.places { values.zoneTokens[place.zone.id] = place.token }
                values.unfetched = serialization.unfetched.map(\.id)
                for change in serialization.pending {
                    if let name = change.record {
                        let id = CKRecord.ID(recordName: name, zoneID: change.zone.id)
                        values.records.add(change.isDeletion ? .deleteRecord(id) : .saveRecord(id))
                    } else {
                        let id = change.zone.id
                        values.zones.add(change.isDeletion ? .deleteZone(id) : .saveZone(CKRecordZone(zoneID: id)))
                    }
                }
            }
        }

        /// The state as one value.
        var serialization: Serialization {
            values.withLock { values in
                var result = Serialization(user: values.user, databaseToken: values.databaseToken)
                result.places = values.zoneTokens.map { Serialization.Place(zone: .init($0), token: $1) }
                result.unfetched = values.unfetched.map { .init($0) }
                result.pending =
                    values.zones.unsent.map { .init(zone: .init($0.id), isDeletion: $0.isDeletion) }
                    + values.records.unsent.map { change in
                        let id = change.recordID
                        return .init(zone: .init(id.zoneID), record: id.recordName, isDeletion: change.isDeletion)
                    }
                return result
            }
        }

        /// The changes of records that are to be sent, in their order, without those that are being sent.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] { values.withLock { $0.records.pending } }
        /// The changes of zones that are to be sent, in their order, without those that are being sent.
        public var pendingDatabaseChanges: [PendingDatabaseChange] { values.withLock { $0.zones.pending } }
        /// The zones that changed and were not read yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { values.withLock { $0.unfetched } }

        /// Indicates whether the app has changes to send that it tracks itself: then the delegate is asked for batches
        /// also if no change is pending. It is not part of the serialized state.
        public var hasPendingUntrackedChanges: Bool {
            get { values.withLock { $0.hasUntracked } }
            set { change(isMore: newValue) { $0.hasUntracked = newValue } }
        }

        /// Adds changes of records to send; the last of a record's counts. A change that is added while
        /// the engine sends waits for the next send.
        public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            change(isMore: true) { values in for change in changes { values.records.add(change) } }
        }

        /// Takes changes of records out.
        public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            change(isMore: false) { values in for change in changes { values.records.remove(change) } }
        }

        /// Adds changes of zones to send; the last of a zone's counts. A change that is added while the
        /// engine sends waits for the next send.
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            change(isMore: true) { values in for change in changes { values.zones.add(change) } }
        }

        /// Takes changes of zones out.
        public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            change(isMore: false) { values in for change in changes { values.zones.remove(change) } }
        }

        /// - Parameter isMore: true if there may be more to send.
        private func change(isMore: Bool, _ change: (inout Values) -> Void) {
            let changed = values.withLock { values in
                change(&values)
                return values.changed
            }
            changed?(isMore)
        }

        // MARK: The engine's

        func whenChanged(_ changed: @escaping @Sendable (_ isMore: Bool) -> Void) {
            values.withLock { $0.changed = changed }
        }

        /// Returns true if a change has to be reported to the delegate, and no report is scheduled.
        func mayReport() -> Bool {
            values.withLock { values in
                defer { values.isReportDue = true }
                return !values.isReportDue
            }
        }

        func hasReported() { values.withLock { $0.isReportDue = false } }

        /// The user whose state it is; nil before the first sync.
        var user: String? { values.withLock { $0.user } }

        /// Makes it a user's. Of another user's nothing stays.
        func begin(reset isReset: Bool, of user: String?) {
            values.withLock { values in
                if isReset { values = Values(changed: values.changed) }
                values.user = user
            }
        }

        /// Adds all pending changes to another state, and takes them out of this one.
        func move(to other: State) {
            let (zones, records) = (pendingDatabaseChanges, pendingRecordZoneChanges)
            other.add(pendingDatabaseChanges: zones)
            other.add(pendingRecordZoneChanges: records)
            values.withLock { values in
                for change in zones { values.zones.remove(change) }
                for change in records { values.records.remove(change) }
            }
        }

        /// Begins a send, which takes the pending changes.
        func beginSending() {
            values.withLock { values in
                values.records.begin()
                values.zones.begin()
            }
        }

        /// Ends a send.
        func endSending() {
            values.withLock { values in
                values.records.end()
                values.zones.end()
            }
        }

        /// True if the running send may send more changes of records.
        var mayHaveMore: Bool { values.withLock { $0.hasUntracked || $0.records.hasOpen } }

        /// True if something is to be sent, now or in the next send.
        var hasPending: Bool {
            values.withLock { $0.hasUntracked || !$0.records.isEmpty || !$0.zones.isEmpty }
        }

        /// True if the running send may send a change of a record.
        func isOpen(_ id: CKRecord.ID) -> Bool { values.withLock { $0.records.isOpen(id) } }

        /// Notes that changes of records are sent now.
        func send(_ changes: [PendingRecordZoneChange]) { values.withLock { $0.records.send(changes) } }

        /// Notes that changes of zones are sent now.
        func send(_ changes: [PendingDatabaseChange]) { values.withLock { $0.zones.send(changes) } }

        /// Takes the changes out of flight, as they are answered. Those that are given become pending again.
        func finish(records: Set<CKRecord.ID> = [], zones: Set<CKRecordZone.ID> = []) {
            values.withLock { values in
                values.records.finish { records.contains($0) }
                values.zones.finish { zones.contains($0) }
            }
        }

        var databaseToken: CKServerChangeToken? { values.withLock { $0.databaseToken } }

        func token(of zone: CKRecordZone.ID) -> CKServerChangeToken? { values.withLock { $0.zoneTokens[zone] } }

        func read(to token: CKServerChangeToken?, changed: [CKRecordZone.ID], deleted: [CKRecordZone.ID]) {
            values.withLock { values in
                values.databaseToken = token
                for zone in changed where !values.unfetched.contains(zone) { values.unfetched.append(zone) }
                values.unfetched.removeAll { deleted.contains($0) }
                for zone in deleted { values.zoneTokens[zone] = nil }
            }
        }

        func read(_ zone: CKRecordZone.ID, to token: CKServerChangeToken?, isDone: Bool) {
            values.withLock { values in
                values.zoneTokens[zone] = token
                if isDone { values.unfetched.removeAll { $0.isEqual(zone) } }
            }
        }
    }
}

extension CKSyncEngine.PendingRecordZoneChange: SyncChange {
    var id: CKRecord.ID { recordID }
    var isDeletion: Bool { if case .deleteRecord = self { true } else { false } }
}

extension CKSyncEngine.PendingDatabaseChange: SyncChange {
    var id: CKRecordZone.ID {
        switch self {
        case .saveZone(let zone): zone.zoneID
        case .deleteZone(let id): id
        }
    }
    var isDeletion: Bool { if case .deleteZone = self { true } else { false } }
}
