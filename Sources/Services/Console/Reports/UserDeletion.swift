package import CloudMessages
package import CloudModel
package import Identity
package import JSON
package import RecordService
import RecordStore

/// The removal of a user for good, and the remains of one.
package struct UserDeletion: Sendable {
    private let identity: IdentityService
    private let records: RecordService

    package init(_ identity: IdentityService, _ records: RecordService) {
        self.identity = identity
        self.records = records
    }

    /// Removes the user with everything that is the user's.
    /// - Parameter patience: the time for which it waits for the relay to publish what it changed.
    /// - Returns: counts of removed things, whether that is published, and whether the bytes are overwritten.
    package func run(_ user: UserRecordName, patience: Duration) async throws -> JSONObject {
        try await identity.removeUser(user)
        let removal = try await records.removeAll(of: user)
        // Rows that wait for the log have the records in them.
        let isPublished = try await records.untilPublished(atMost: patience)
        let isErased = try await records.store.eraseDeleted()
        return [
            "devices": .integer(Int64(removal.devices)), "subscriptions": .integer(Int64(removal.subscriptions)),
            "shares": .integer(Int64(removal.shares)), "zones": .integer(Int64(removal.zones)),
            "records": .integer(Int64(removal.records)), "files": .integer(Int64(removal.files)),
            "isPublished": .bool(isPublished), "isErased": .bool(isErased),
        ]
    }

    /// The remains of a user who was removed, and their times.
    /// - Parameter outcome: the result of `run`.
    package static func remains(_ retention: Retention, _ outcome: JSONObject) -> [String] {
        let days = [retention.changes, retention.deliveries, retention.feeds].map { $0 / Retention.days(1) }
        var lines = [
            "records in the public database: until somebody deletes them, under a record name that leads to nobody",
            "changes in the log: \(days[0]) days; deliveries: \(days[1]); journals: \(days[2]), which no client can read; topics of the user's devices: until the stage that makes them has deleted them, soon; topics of an earlier version: until 'fanfare feeds migrate --delete-old'",
            "subscriptions in matchers' table-snapshots: until the next snapshot; the folder may be emptied at any time",
            "names of deleted records and zones that others shared: until the record-service's tombstone-retention-days have passed",
            "files that others' records refer to or that others have just uploaded: as long as those; the user's files that were replaced before: 48 hours",
            "copies of 'fanfare backup': until you delete them",
        ]
        if outcome["isPublished"] == false {
            lines.append(
                "changes that wait in the store for the log, with the records: until the record-service has published them"
            )
        }
        if outcome["isErased"] == false {
            lines.append("texts in the store's write-ahead log, as readers were in the way: until it is written over")
        }
        return lines
    }
}
