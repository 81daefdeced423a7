import CloudMessages
import CloudModel
import EventLog

@testable import Feeds
@testable import Identity
@testable import Push
@testable import RecordService

extension TokenKind {
    static let change: TokenKind = {
        let tokens = ChangeTokens(Known.ring)
        let identity = FeedIdentity(
            scope: Known.scope, user: Known.user, device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(50))
        let seen = SourcePosition(source: .store(7), offset: 77, index: 3)
        let places = [FeedPosition.Part.journal, .feed, .shared, .topic].map {
            FeedPosition(
                part: $0, position: LogPosition(offset: 1 << 33, seen: [seen.source: seen]), raggedUntil: 12)
        }
        return TokenKind(
            name: "change token", purpose: "change-token/1", tokens: places.map { tokens.seal($0, of: identity) }
        ) {
            guard let place = try? tokens.open($0, of: identity) else { return false }
            let again = tokens.seal(place, of: identity)
            precondition((try? tokens.open(again, of: identity)) == place)
            return true
        }
    }()

    static func sync(_ subject: SyncTokens.Subject) -> TokenKind {
        let tokens = SyncTokens(Known.ring, scope: Known.scope, store: 9)
        var position = SyncPosition(sequence: CommitSequence(5), began: CommitSequence(6))
        position.below = CommitSequence(4)
        return TokenKind(
            name: "sync token", purpose: "sync-token/1",
            tokens: [tokens.seal(position, of: subject, in: .private, for: Known.user)]
        ) {
            guard let place = try? tokens.open($0, of: subject, in: .private, for: Known.user) else { return false }
            let again = tokens.seal(place, of: subject, in: .private, for: Known.user)
            precondition((try? tokens.open(again, of: subject, in: .private, for: Known.user)) == place)
            return true
        }
    }

    static let webAuth: TokenKind = {
        let tokens = WebAuthTokens(Known.ring, lifetime: .seconds(3600), store: 9)
        return TokenKind(
            name: "web auth token", purpose: "web-auth/1",
            tokens: [false, true].map {
                tokens.make(for: Known.user, in: Known.scope, at: Known.now, isBrief: $0).token
            }
        ) {
            guard let session = try? tokens.session(of: $0, in: Known.scope, at: Known.now) else { return false }
            precondition(tokens.end(of: session) > Known.now)
            // A renewed token ends no later than its session.
            let next = tokens.make(for: session, in: Known.scope, at: Known.now)
            precondition(next.expires <= tokens.end(of: session))
            return true
        }
    }()

    static let courier: TokenKind = {
        let tokens = WebCourierTokens(Known.ring, scope: Known.scope)
        let address = CourierAddress(
            user: Known.user, device: DeviceID(trusted: "c"), epoch: DeviceEpoch(4), expires: Known.now)
        return TokenKind(
            name: "courier's token", purpose: "courier/1", tokens: [tokens.token(of: address)]
        ) { tokens.address(of: $0) != nil }
    }()

    private static let assets = AssetTokens(Known.ring)
    private static let upload = AssetUpload(
        user: Known.user, database: .private,
        field: AssetField(type: RecordType(trusted: "T"), name: FieldName(trusted: "f")))

    static let assetUpload = TokenKind(
        name: "address of an upload", purpose: "asset-upload/1",
        tokens: [assets.upload(upload, in: Known.scope, at: Known.now)]
    ) { (try? assets.upload(of: $0, in: Known.scope, at: Known.now)) != nil }

    static let assetReceipt = TokenKind(
        name: "receipt", purpose: "asset-receipt/1",
        tokens: [assets.receipt(for: upload, of: "checksum", 5, in: Known.scope, at: Known.now)]
    ) { (try? assets.receipt($0, in: Known.scope, at: Known.now)) != nil }

    static let assetDownload = TokenKind(
        name: "address of a download", purpose: "asset-download/1",
        tokens: [assets.download(Asset(fileChecksum: "checksum", size: 5), in: Known.scope, at: Known.now)]
    ) { (try? assets.download($0, in: Known.scope, at: Known.now)) != nil }

    static let marker: TokenKind = {
        let markers = QueryMarkers(Known.ring)
        let sorts = ["a", "b"].map { Sort(field: .field(FieldName(trusted: $0)), isAscending: true) }
        let query = CheckedQuery(
            type: RecordType(trusted: "T"), database: .public, zones: [.publicDefault], isOfAllZones: false,
            predicate: .always, asked: .always, order: QueryOrder(sorts: sorts), limit: 50)
        let position = QueryPosition(keys: [.string("x"), nil], number: 4)
        return TokenKind(
            name: "continuation marker", purpose: "query-marker/2", isHidden: true,
            tokens: [markers.seal(position, of: query, store: 9)]
        ) {
            guard let place = try? markers.open($0, of: query, store: 9) else { return false }
            // Keys are of any type: the order takes them all.
            _ = query.order.isBefore(place, position) && query.order.isBefore(position, place)
            return true
        }
    }()
}
