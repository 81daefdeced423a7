import CloudMessages
package import CloudModel
import RecordStore

/// Users as records of the public database (docs/cloudkit.md#model): apps keep names and pictures of users in their
/// fields.
extension RecordService {
    /// Makes the record of a user without one: after a sign-in, and on each request for the current user, so that a
    /// record that failed at a sign-in is made later.
    package func makeUserRecord(of user: UserRecordName) async throws {
        guard try await store.read({ try $0.record(RecordID(of: user)) }) == nil else { return }
        try await commit(in: .records) { [self] commit in
            let zone = zone(.publicDefault, in: .public, of: Origin(user: user, device: nil, epoch: nil), commit)
            // Two sign-ins at once, or a user who was removed meanwhile.
            guard try zone.records.stored(RecordName(of: user)) == nil, try commit.transaction.account(of: user) != nil
            else { return }
            let sequence = try commit.transaction.nextSequence()
            let record = Record(
                type: .users, name: RecordName(of: user), zone: .publicDefault, changeTag: ChangeTag.make(sequence),
                created: zone.setting.stamp, modified: zone.setting.stamp, fields: RecordFields())
            try RecordWriter(zone: zone).save(
                RecordSave(
                    before: nil, after: RecordImage(record), sequence: sequence, given: [:], newParts: 0,
                    invitations: []))
        }
    }

    /// Deletes the record of a user who is removed.
    func removeUserRecord(of user: UserRecordName) async throws {
        try await commit(in: .records) { [self] commit in
            let zone = zone(.publicDefault, in: .public, of: Origin(user: user, device: nil, epoch: nil), commit)
            guard let image = try zone.records.stored(RecordName(of: user)) else { return }
            try RecordWriter(zone: zone).delete(image)
        }
    }

    /// Refuses queries over users' records: a caller with a user's name may read the record, but no caller gets a list
    /// of all users.
    static func checkMayBeAsked(_ type: RecordType) throws(CloudError) {
        guard type != .users else {
            throw .badRequest(
                "Can't query system types: \(RecordType.users) are looked up by record name (records/lookup), or found by users/discover"
            )
        }
    }
}
