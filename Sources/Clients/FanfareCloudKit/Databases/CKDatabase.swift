import CloudModel
public import Foundation

/// One of a container's databases, as its user sees it.
public final class CKDatabase: NSObject, Sendable {
    /// The databases of a container, by CloudKit's numbers.
    public enum Scope: Int, Sendable {
        /// The database that all users share.
        case `public` = 1
        /// The user's own.
        case `private` = 2
        /// The records that others share with the user.
        case shared = 3

        init(_ noun: DatabaseScope) { self = Scope(rawValue: Int(noun.rawValue)) ?? .public }

        var noun: DatabaseScope { DatabaseScope(rawValue: Int32(rawValue)) ?? .public }
    }

    let session: ConfiguredSession
    /// The kind of the database.
    public let databaseScope: Scope

    init(session: ConfiguredSession, scope: Scope) {
        self.session = session
        databaseScope = scope
    }

    var scope: DatabaseScope { databaseScope.noun }

    /// The kind, for developers.
    public override var description: String { "<CKDatabase \(databaseScope)>" }

    /// Starts an operation in this database.
    public func add(_ operation: CKDatabaseOperation) {
        operation.database = self
        operation.defaults = session.defaults
        CKOperation.queue.addOperation(operation)
    }

    /// A zone as requests of the signed-in user name it.
    /// - Throws: `invalidArguments` for a zone that cannot be in this database: the mistake is the app's.
    func given(_ zone: CKRecordZone.ID, _ signedIn: CloudSession.SignedIn) throws(CKError) -> GivenZone {
        let isOwn = zone.ownerName == CKCurrentUserDefaultName || zone.ownerName == signedIn.user?.rawValue
        switch databaseScope {
        case .private where !isOwn:
            throw CKError(
                .invalidArguments,
                "\(zone) is another user's: what others share with the user is in the shared database")
        case .shared where isOwn:
            throw CKError(
                .invalidArguments, "\(zone) is the user's own: only zones of others are in the shared database")
        default: break
        }
        return GivenZone(name: try .checked(zone.zoneName), owner: zone.givenOwner)
    }

    /// Makes records of what the service answers to the signed-in user.
    func reader(_ signedIn: CloudSession.SignedIn) -> RecordReader {
        RecordReader(
            scope: scope, user: signedIn.user?.rawValue, files: session.files, shares: signedIn.service.shares)
    }
}

/// The older name of a database's kind.
public typealias CKDatabaseScope = CKDatabase.Scope
