import CloudModel
import Foundation

extension CKDatabase {
    /// Changes of the zones of a database.
    public enum DatabaseChange {
        /// A zone that was made, or in which something changed.
        public struct Modification: Sendable, Hashable {
            /// The zone.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone that is gone.
        public struct Deletion: Sendable, Hashable {
            /// The reasons for which a zone is gone.
            public enum Reason: Sendable {
                /// It was deleted, or is no longer shared with the user.
                case deleted
                /// Its user deleted all data in the system's settings; never returned here.
                case purged
                /// Its user's keys were reset; never returned here.
                case encryptedDataReset
            }

            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// The reason.
            public let reason: Reason
            /// True if its user deleted all data in the system's settings; false here.
            public var purged: Bool { reason == .purged }
        }
    }

    /// Changes of the records of a zone.
    public enum RecordZoneChange {
        /// A record that was made or changed.
        public struct Modification: Sendable {
            /// The record as it is now.
            public let record: CKRecord
        }

        /// A record that was deleted.
        public struct Deletion: Sendable, Hashable {
            /// The record.
            public let recordID: CKRecord.ID
            /// Its type.
            public let recordType: CKRecord.RecordType
        }
    }

    /// A page of the zones that changed after a token; nil is the start.
    public func databaseChanges(
        since previousServerChangeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let (page, reader) = try await session.call { [self] signedIn -> (DatabaseChangePage, RecordReader) in
            let page = try await signedIn.service.changes(
                of: scope, after: previousServerChangeToken?.text, limit: resultsLimit ?? 0)
            return (page, self.reader(signedIn))
        }
        let modified = page.zones.filter { !$0.isDeleted }.map { reader.zoneID($0.id) }
        let deleted = page.zones.filter(\.isDeleted).map { reader.zoneID($0.id) }
        return (
            modified.map { DatabaseChange.Modification(zoneID: $0) },
            deleted.map { DatabaseChange.Deletion(zoneID: $0, reason: .deleted) }, CKServerChangeToken(page.token),
            page.moreComing
        )
    }

    /// A page of the records of a zone that changed after a token; nil is the start.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since previousServerChangeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let page = try await changes(
            in: zoneID, since: previousServerChangeToken, desiredKeys: desiredKeys, limit: resultsLimit ?? 0)
        var modified: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
        for (id, result) in page.modified { modified[id] = result.map { RecordZoneChange.Modification(record: $0) } }
        return (modified, page.deleted, page.token, page.moreComing)
    }

    /// A page of a zone's changes in their order.
    struct ChangePage: Sendable {
        var modified: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
        var deleted: [RecordZoneChange.Deletion] = []
        var token: CKServerChangeToken
        var moreComing: Bool
    }

    func changes(
        in zoneID: CKRecordZone.ID, since token: CKServerChangeToken?, desiredKeys: [String]?, limit: Int
    ) async throws -> ChangePage {
        let (answer, reader) = try await session.call { [self] signedIn -> (ZoneChangePage, RecordReader) in
            let page = try await signedIn.service.changes(
                of: try given(zoneID, signedIn), in: scope, after: token?.text, desiredKeys: desiredKeys, limit: limit)
            return (page, self.reader(signedIn))
        }
        var page = ChangePage(token: CKServerChangeToken(answer.token), moreComing: answer.moreComing)
        let fetch = RecordFetch(database: self)
        for change in answer.changes {
            switch change {
            case .deletion(let name, let type):
                page.deleted.append(
                    RecordZoneChange.Deletion(recordID: CKRecord.ID(name, in: zoneID), recordType: type.rawValue))
            case .record(let item):
                let id = try item.id(in: zoneID, reader)
                page.modified.append((id, await fetch.record(item, id, reader)))
            }
        }
        return page
    }
}
