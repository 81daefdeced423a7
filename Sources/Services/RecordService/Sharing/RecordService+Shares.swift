import CloudMessages
package import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// A share as `records/resolve` and `records/accept` answer it.
    package struct ResolvedShare: Hashable, Sendable {
        /// Its record.
        package var record: Record
        /// The caller as a participant; nil for the owner, and before an invitation.
        package var participant: Share.Participant?
        /// The root record, if the caller may read it; nil for a whole zone.
        package var root: Record?
    }

    /// Shares by their short GUIDs; one that there is not, or that the caller may not know, fails for itself.
    /// - Throws: `QUOTA_EXCEEDED` if the records have more than `lookupBytesMax` together.
    package func resolveShares(
        _ shortGUIDs: [String], for caller: Caller
    ) async throws -> [Result<ResolvedShare, CloudError>] {
        let user = try caller.signedIn(to: "a share")
        try checkGUIDs(shortGUIDs)
        return try await store.read { reader in
            var room = Limits.lookupBytesMax
            return try shortGUIDs.map { guid in
                do {
                    let share = try Self.share(guid, for: user, reader)
                    return .success(try Self.resolved(share, for: user, &room, reader))
                } catch let error as CloudError {
                    return .failure(error)
                }
            }
        }
    }

    /// Accepts shares for the caller: what they share is in the caller's shared database from then on. Accepting again
    /// changes nothing. Each is a commit of its own.
    package func acceptShares(
        _ shortGUIDs: [String], for caller: Caller
    ) async throws -> [Result<ResolvedShare, CloudError>] {
        let user = try caller.signedIn(to: "accepting a share")
        try checkGUIDs(shortGUIDs)
        var results: [Result<ResolvedShare, CloudError>] = []
        var room = Limits.lookupBytesMax
        for guid in shortGUIDs {
            do {
                let owner = try await store.read { try $0.share(shortGUID: guid)?.zone.owner }
                let (share, left) = try await commit(in: .database(owner ?? user)) { [self, room] commit in
                    try self.accept(guid, for: user, caller.client, room, commit)
                }
                room = left
                results.append(.success(share))
            } catch let error as CloudError {
                results.append(.failure(error))
            }
        }
        return results
    }

    private func accept(
        _ guid: String, for user: UserRecordName, _ client: DeviceID?, _ room: Int, _ commit: Commit
    ) throws -> (share: ResolvedShare, room: Int) {
        let transaction = commit.transaction
        let origin = try Self.origin(of: user, client, transaction)
        let share = try Self.share(guid, for: user, transaction)
        try RecordWriter(zone: zone(share.zone, in: .private, of: origin, commit)).accept(share, for: user)
        var left = room
        let resolved = try Self.resolved(try Self.share(guid, for: user, transaction), for: user, &left, transaction)
        return (resolved, left)
    }

    private func checkGUIDs(_ guids: [String]) throws(CloudError) {
        try checkCount(guids.count)
        var seen: Set<String> = []
        for guid in guids where !seen.insert(guid).inserted {
            throw .badRequest("the share '\(guid)' stands twice in the request; name it once")
        }
    }

    /// A share that the user owns, takes part in or may take part in; to all others it is not there.
    static func share(
        _ guid: String, for user: UserRecordName, _ reader: any StoreReader
    ) throws -> StoredShare {
        guard let share = try reader.share(shortGUID: guid),
            try share.zone.owner == user || mayKnow(share, user, reader)
        else { throw CloudError(.notFound, "there is no share '\(guid)', or you are not invited to it") }
        return share
    }

    /// A participant sees the permission that the owner gave this participant, whatever others have.
    private static func mayKnow(
        _ share: StoredShare, _ user: UserRecordName, _ reader: any StoreReader
    ) throws -> Bool {
        let invited = try invited(user, to: share, reader)
        let own = share.details.participants.first { $0.user == user || $0.user == invited }
        return (own?.permission ?? share.details.publicPermission) != .none
    }

    /// The record name under which a share invited a user by address, where the user had another one already.
    static func invited(
        _ user: UserRecordName, to share: StoredShare, _ reader: any StoreReader
    ) throws -> UserRecordName? {
        let named = Set(share.details.participants.map(\.user))
        if let address = try VisibleProfiles.address(of: user, reader), let name = try reader.user(.invited(address)),
            named.contains(name)
        {
            return name
        }
        return try reader.invitationsHeld(by: user).first(where: named.contains)
    }

    private static func resolved(
        _ share: StoredShare, for user: UserRecordName, _ room: inout Int, _ reader: any StoreReader
    ) throws -> ResolvedShare {
        func record(_ name: RecordName) throws -> Record? {
            let id = RecordID(database: .private, zone: share.zone, name: name)
            guard room > 0 else { throw Self.tooManyBytes }
            guard let stored = try reader.record(id) else { return nil }
            let record = try stored.record()
            room -= record.answerBytes(body: stored.body.count)
            return record
        }
        guard let found = try record(share.name) else { throw CloudError(.notFound, "the share is gone") }
        let invited = try Self.invited(user, to: share, reader)
        let participant = share.details.participants.first { $0.user == user || $0.user == invited }
        let mayRead = share.zone.owner == user || participant?.mayRead == true
        return ResolvedShare(
            record: found, participant: participant, root: mayRead ? try share.details.root.flatMap(record) : nil)
    }
}
