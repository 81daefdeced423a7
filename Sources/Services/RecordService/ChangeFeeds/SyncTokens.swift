import CloudMessages
package import CloudModel
package import Cryptography
import ProtocolBuffers
import TextForms

/// Seals positions in change feeds as sync tokens, and opens them. Nothing is stored for a token, so tokens survive
/// restarts.
package struct SyncTokens: Sendable {
    /// The feed of a token.
    enum Subject: Hashable, Sendable {
        case database
        /// A zone in the life that began with its creation.
        case zone(ZoneID, created: CommitSequence)
        /// The feed of `zones/changes`, as `metaSyncToken`.
        case zones
        /// The state that the first page of a query shows.
        case query
    }

    private static let purpose = "sync-token/1"
    private let ring: KeyRing
    private let scope: ContainerEnvironment
    private let store: UInt64

    /// Tokens of one store.
    package init(_ ring: KeyRing, scope: ContainerEnvironment, store: UInt64) {
        self.ring = ring
        self.scope = scope
        self.store = store
    }

    /// The token for a place.
    func seal(
        _ position: SyncPosition, of subject: Subject, in database: DatabaseScope, for user: UserRecordName
    ) -> String {
        var message = SyncTokenMessage(
            container: scope.container.rawValue, environment: scope.environment.rawValue, user: user.rawValue,
            store: store, kind: subject.kind, database: database.rawValue, sequence: position.sequence.rawValue,
            began: position.began.rawValue, below: position.below?.rawValue ?? 0, top: position.top.rawValue,
            committed: position.committed.milliseconds)
        if case .zone(let zone, let created) = subject {
            message.zone = ZoneMessage(zone)
            message.incarnation = created.rawValue
        }
        // CloudKit's are base64, and some clients take them apart.
        return ring.seal(message.encoded(), purpose: Self.purpose, as: .standard)
    }

    /// Opens the position of a token.
    /// - Throws: `BAD_REQUEST` with the reason, `CHANGE_TOKEN_EXPIRED` for a token that is no longer valid.
    func open(
        _ token: String, of subject: Subject, in database: DatabaseScope, for user: UserRecordName
    ) throws(CloudError) -> SyncPosition {
        let name = subject.tokenName
        let message: SyncTokenMessage
        do {
            message = try SyncTokenMessage(decoding: ring.open(token, purpose: Self.purpose))
        } catch {
            throw .badRequest("\(name) is not one of ours: \(error)")
        }
        guard message.container == scope.container.rawValue, message.environment == scope.environment.rawValue else {
            throw .badRequest(
                "\(name) is of \(message.container)/\(message.environment), not of \(scope.container)/\(scope.environment)"
            )
        }
        guard message.user == user.rawValue else { throw .badRequest("\(name) is another user's") }
        guard message.kind == subject.kind else {
            throw .badRequest("\(name) is of \(Self.name(message.kind)), not of \(Self.name(subject.kind))")
        }
        guard message.database == database.rawValue else {
            throw .badRequest("\(name) is of another database than the \(database) one")
        }
        guard message.store == store else { throw Self.expired("the service's store was replaced since") }
        if case .zone(let zone, let created) = subject {
            guard let of = message.zone?.zoneID, of == zone else {
                throw .badRequest("\(name) is of the zone '\(message.zone?.name ?? "")', not of '\(zone.name)'")
            }
            guard message.incarnation == created.rawValue else {
                throw Self.expired("the zone '\(zone.name)' was deleted and created again since")
            }
        }
        return SyncPosition(
            sequence: CommitSequence(message.sequence), began: CommitSequence(message.began),
            below: message.below > 0 ? CommitSequence(message.below) : nil, top: CommitSequence(message.top),
            committed: Timestamp(milliseconds: message.committed))
    }

    /// Returns true for a token of a query, anyone's.
    func isOfQuery(_ token: String) -> Bool {
        guard let bytes = try? ring.open(token, purpose: Self.purpose) else { return false }
        return (try? SyncTokenMessage(decoding: bytes).kind) == SyncTokens.Subject.query.kind
    }

    /// A token that is no longer served.
    static func expired(_ why: String) -> CloudError {
        CloudError(.changeTokenExpired, "\(why); drop what you have and fetch again without a token")
    }

    private static func name(_ kind: Int32) -> String {
        switch kind {
        case 1: "changes/database"
        case 2: "changes/zone"
        case 4: "records/query"
        default: "zones/changes"
        }
    }
}

extension SyncTokens.Subject {
    /// Its number in tokens.
    var kind: Int32 {
        switch self {
        case .database: 1
        case .zone: 2
        case .zones: 3
        case .query: 4
        }
    }

    /// The member of requests that takes its tokens.
    var tokenName: String {
        switch self {
        case .database, .zone: "syncToken"
        case .zones: "metaSyncToken"
        case .query: "startingFrom"
        }
    }
}
