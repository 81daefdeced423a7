import Synchronization

/// The newest engine of each delegate and database. An app may make its engine twice when it starts, as Apple's sample
/// of the engine does: on first use, and in a task that begins late. Its delegate adds changes to the newer engine when
/// the older one reports the account, so that the first call of the older one goes on with the newer.
enum SyncReplacement {
    private struct Key: Hashable {
        var delegate: ObjectIdentifier
        /// The sign-in of the database's container.
        var session: ObjectIdentifier
        var scope: CKDatabase.Scope
    }

    private struct Newest {
        weak var engine: CKSyncEngine?
    }

    private static let engines = Mutex<[Key: Newest]>([:])

    private static func key(_ engine: CKSyncEngine) -> Key {
        Key(
            delegate: ObjectIdentifier(engine.delegate), session: ObjectIdentifier(engine.database.session.shared),
            scope: engine.database.databaseScope)
    }

    /// Notes a new engine.
    static func note(_ engine: CKSyncEngine) {
        engines.withLock { engines in
            engines = engines.filter { $1.engine != nil }
            engines[key(engine)] = Newest(engine: engine)
        }
    }

    /// The engine that was made later for the same delegate and database, and is in use; nil if none was.
    static func engine(replacing engine: CKSyncEngine) -> CKSyncEngine? {
        engines.withLock { engines in
            guard let newest = engines[key(engine)]?.engine, newest !== engine else { return nil }
            return newest
        }
    }
}
