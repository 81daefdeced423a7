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
        let time = now()
        return try await commit { [self] transaction in
            let origin = try Self.origin(of: user, caller.client, transaction)
            return try shortGUIDs.map { guid in
                do {
                    let share = try Self.share(guid, for: user, transaction)
                    let batch = RecordBatch(
                        transaction: transaction, layout: layout, store: store.incarnation,
                        schema: SchemaInference(transaction, environment: scope.environment), database: .private,
                        zone: share.zone, origin: origin,
                        assets: AssetLedger(
                            storage: options.assets, scope: scope, database: .private, user: user, time: time),
                        time: time)
                    try batch.accept(share, for: user)
                    return .success(
                        try Self.resolved(try Self.share(guid, for: user, transaction), for: user, transaction))
                } catch let error as CloudError {
                    return .failure(error)
                }
            }
        }
    }

    /// A share that the user owns, takes part in or may take part in; to all others it is not there.
    private static func share(
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
            try reader.record(RecordID(database: .private, zone: share.zone, name: name)).map {
                try RecordMessage(decoding: $0.body).record()
            }
        }
        guard let found = try record(share.name) else { throw CloudError(.notFound, "the share is gone") }
        let invited = try Self.invited(user, to: share, reader)
        let participant = share.details.participants.first { $0.user == user || $0.user == invited }
        let mayRead = share.zone.owner == user || participant?.mayRead == true
        return ResolvedShare(
            record: found, participant: participant, root: mayRead ? try share.details.root.flatMap(record) : nil)
    }
}

extension RecordBatch {
    /// Notes in the share that a user takes part.
    func accept(_ share: StoredShare, for user: UserRecordName) throws {
        guard user != zone.owner else { return }
        guard try transaction.acceptedShareCount(of: user) < Limits.acceptedSharesMax else {
            throw CloudError(
                .quotaExceeded, "a user takes part in at most \(Limits.acceptedSharesMax) shares; leave some first")
        }
        var details = try stored(share.name)?.shareDetails ?? share.details
        if let index = details.participants.firstIndex(where: { $0.user == user }) {
            guard details.participants[index].accepted == nil else { return }
        } else if let invited = try RecordService.invited(user, to: share, transaction),
            let index = details.participants.firstIndex(where: { $0.user == invited })
        {
            details.participants[index].user = user
        } else {
            guard details.participants.count < Limits.participantsMax else {
                throw CloudError(.quotaExceeded, "the share has \(Limits.participantsMax) participants already")
            }
            try checkShares(participants: details.participants.count + 1, details)
            details.participants.append(
                Share.Participant(user: user, permission: details.publicPermission, isPublic: true))
        }
        let isFirst = try SharedAccess(of: user, in: zone, transaction) == nil
        guard let record = try stored(share.name),
            let index = details.participants.firstIndex(where: { $0.user == user })
        else { throw CloudError(.notFound, "the share is gone") }
        let changed = try rewrite(record) { record, sequence in
            details.participants[index].accepted = sequence
            record.shareDetails = details
        }
        shares.forget(share.details.root)
        var saved = share
        saved.details = changed.shareDetails ?? details
        try transaction.save(saved)
        try transaction.removeZoneTombstone(zone, of: user, in: .shared)
        if isFirst { try append(.created, participants: [user]) }
    }
}
