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

            var databaseToken: CKServerChangeToken?
            var places: [Place] = []
            var unfetched: [Zone] = []
            var pending: [Change] = []
        }

        private struct Values: Sendable {
            var databaseToken: CKServerChangeToken?
            var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
            var unfetched: [CKRecordZone.ID] = []
            var records: [PendingRecordZoneChange] = []
            var zones: [PendingDatabaseChange] = []
            var added: (@Sendable () -> Void)?
        }

        private let values = Mutex(Values())

        init(_ serialization: Serialization?) {
            guard let serialization else { return }
            values.withLock { values in
                values.databaseToken = serialization.databaseToken
                for place in serialization.places { values.zoneTokens[place.zone.id] = place.token }
                values.unfetched = serialization.unfetched.map(\.id)
                for change in serialization.pending {
                    if let name = change.record {
                        let id = CKRecord.ID(recordName: name, zoneID: change.zone.id)
                        values.records.append(change.isDeletion ? .deleteRecord(id) : .saveRecord(id))
                    } else {
                        let id = change.zone.id
                        values.zones.append(change.isDeletion ? .deleteZone(id) : .saveZone(CKRecordZone(zoneID: id)))
                    }
                }
            }
        }

        /// The state as one value.
        var serialization: Serialization {
            values.withLock { values in
                var result = Serialization(databaseToken: values.databaseToken)
                result.places = values.zoneTokens.map { Serialization.Place(zone: .init($0), token: $1) }
                result.unfetched = values.unfetched.map { .init($0) }
                result.pending = values.zones.map { change in
                    switch change {
                    case .saveZone(let zone): .init(zone: .init(zone.zoneID), isDeletion: false)
                    case .deleteZone(let id): .init(zone: .init(id), isDeletion: true)
                    }
                }
                result.pending += values.records.map { change in
                    let id = change.recordID
                    let isDeletion = if case .deleteRecord = change { true } else { false }
                    return .init(zone: .init(id.zoneID), record: id.recordName, isDeletion: isDeletion)
                }
                return result
            }
        }

        /// The changes of records that are to be sent, in their order.
        public var pendingRecordZoneChanges: [PendingRecordZoneChange] { values.withLock { $0.records } }
        /// The changes of zones that are to be sent, in their order.
        public var pendingDatabaseChanges: [PendingDatabaseChange] { values.withLock { $0.zones } }
        /// The zones that changed and were not read yet.
        public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] { values.withLock { $0.unfetched } }

        /// Adds changes of records to send; the last of a record's counts.
        public func add(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            change { values in
                for change in changes {
                    values.records.removeAll { $0.recordID.isEqual(change.recordID) }
                    values.records.append(change)
                }
            }
        }

        /// Takes changes of records out.
        public func remove(pendingRecordZoneChanges changes: [PendingRecordZoneChange]) {
            values.withLock { values in values.records.removeAll { changes.contains($0) } }
        }

        /// Adds changes of zones to send.
        public func add(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            change { values in
                values.zones.removeAll { changes.contains($0) }
                values.zones += changes
            }
        }

        /// Takes changes of zones out.
        public func remove(pendingDatabaseChanges changes: [PendingDatabaseChange]) {
            values.withLock { values in values.zones.removeAll { changes.contains($0) } }
        }

        private func change(_ change: (inout Values) -> Void) {
            let added = values.withLock { values in
                change(&values)
                return values.added
            }
            added?()
        }

        // MARK: The engine's

        func whenAdded(_ added: @escaping @Sendable () -> Void) { values.withLock { $0.added = added } }

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
