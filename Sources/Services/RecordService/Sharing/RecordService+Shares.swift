import CloudMessages
package import CloudModel
import ProtocolBuffers
import RecordStore

extension RecordService {
    /// A share as `records/resolve` and `records/accept` answer it.
    package struct ResolvedShare: Hashable, Sendable {
        /// Its record.
        package var record: Record
        /// The caller's part in it; nil for the owner, and for whoever has none yet.
        package var participant: Share.Participant?
        /// The record at the top of what is shared, for whoever may read it; nil for a whole zone.
        package var root: Record?
    }

    /// Shares by their short GUIDs; one that there is not, or that the caller may not know, fails for itself.
    package func resolveShares(
        _ shortGUIDs: [String], for caller: Caller
    ) async throws -> [Result<ResolvedShare, CloudError>] {
        let user = try caller.signedIn(to: "a share")
        try checkCount(shortGUIDs.count)
        return try await store.read { reader in
            try shortGUIDs.map { guid in
                do {
                    let share = try Self.share(guid, for: user, reader)
                    return .success(try Self.resolved(share, for: user, reader))
                } catch let error as CloudError {
                    return .failure(error)
                }
            }
        }
    }

    /// Accepts shares for the caller: what they share is in the caller's shared database from then on. Accepting again
    /// changes nothing.
    package func acceptShares(
        _ shortGUIDs: [String], for caller: Caller
    ) async throws -> [Result<ResolvedShare, CloudError>] {
        let user = try caller.signedIn(to: "accepting a share")
        try checkCount(shortGUIDs.count)
        return try await commit { [self] commit in
            let transaction = commit.transaction
            let origin = try Self.origin(of: user, caller.client, transaction)
            return try shortGUIDs.map { guid in
                do {
                    let share = try Self.share(guid, for: user, transaction)
                    try RecordWriter(zone: zone(share.zone, in: .private, of: origin, commit)).accept(share, for: user)
                    return .success(
                        try Self.resolved(try Self.share(guid, for: user, transaction), for: user, transaction))
                } catch let error as CloudError {
                    return .failure(error)
                }
            }
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

    /// A participant is told what the owner lets this one do, whatever anybody else may.
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
        if let address = try reader.profile(of: user)?.email, let name = try reader.user(.invited(address)),
            named.contains(name)
        {
            return name
        }
        return try reader.invitationsHeld(by: user).first(where: named.contains)
    }

    private static func resolved(
        _ share: StoredShare, for user: UserRecordName, _ reader: any StoreReader
    ) throws -> ResolvedShare {
        func record(_ name: RecordName) throws -> Record? {
            try reader.record(RecordID(database: .private, zone: share.zone, name: name))?.record()
        }
        guard let found = try record(share.name) else { throw CloudError(.notFound, "the share is gone") }
        let invited = try Self.invited(user, to: share, reader)
        let participant = share.details.participants.first { $0.user == user || $0.user == invited }
        let mayRead = share.zone.owner == user || participant?.mayRead == true
        return ResolvedShare(
            record: found, participant: participant, root: mayRead ? try share.details.root.flatMap(record) : nil)
    }
}
