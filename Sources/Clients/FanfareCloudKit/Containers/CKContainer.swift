public import Foundation
import Synchronization

/// A container of a service, as its user sees it: three databases, and the user's devices.
public final class CKContainer: NSObject, Sendable {
    let session: ConfiguredSession
    /// The container's identifier; nil where nothing says which one it is.
    public let containerIdentifier: String?
    /// The user's own database.
    public let privateCloudDatabase: CKDatabase
    /// The database that all users share.
    public let publicCloudDatabase: CKDatabase
    /// The records that others share with the user.
    public let sharedCloudDatabase: CKDatabase

    private static let known = Mutex<[String: CKContainer]>([:])
    private static let configured = Mutex<[Configuration]>([])

    init(session: ConfiguredSession) {
        self.session = session
        containerIdentifier = session.configuration?.containerIdentifier
        privateCloudDatabase = CKDatabase(session: session, scope: .private)
        publicCloudDatabase = CKDatabase(session: session, scope: .public)
        sharedCloudDatabase = CKDatabase(session: session, scope: .shared)
    }

    /// The container of a configuration, with a sign-in of its own; not in CloudKit.
    public convenience init(configuration: Configuration) {
        self.init(session: ConfiguredSession(shared: CloudSession(.success(configuration))))
    }

    /// The container of an identifier: by the configuration that `configure` was given for it, or else with the address
    /// and sign-in of the default one. All containers of one identifier share a sign-in.
    public convenience init(identifier containerIdentifier: String) {
        self.init(session: Self.known(containerIdentifier).session)
    }

    /// The container that was configured first, by `configure` or by the environment.
    public class func `default`() -> CKContainer { known(nil) }

    /// Says which services containers are on. The first is the default one. Containers that are in use keep theirs.
    public static func configure(_ configurations: Configuration...) {
        configured.withLock { $0 = configurations }
        known.withLock { $0 = [:] }
        NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }

    private static func known(_ identifier: String?) -> CKContainer {
        known.withLock { known in
            if let container = known[identifier ?? ""] { return container }
            let container = CKContainer(
                session: ConfiguredSession(shared: CloudSession(configuration(of: identifier))))
            known[identifier ?? ""] = container
            // The default one by its name is the same one.
            if identifier == nil, let name = container.containerIdentifier { known[name] = container }
            return container
        }
    }

    private static func configuration(of identifier: String?) -> Result<Configuration, CKError> {
        let configured = configured.withLock { $0 }
        if let found = configured.first(where: { identifier == nil || $0.containerIdentifier == identifier }) {
            return .success(found)
        }
        return Result { () throws(CKError) -> Configuration in
            var configuration: Configuration
            if let first = configured.first {
                configuration = first
            } else {
                configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
            }
            if let identifier { configuration.containerIdentifier = identifier }
            return configuration
        }
    }

    /// One of the databases.
    public func database(with scope: CKDatabase.Scope) -> CKDatabase {
        switch scope {
        case .public: publicCloudDatabase
        case .private: privateCloudDatabase
        case .shared: sharedCloudDatabase
        }
    }

    /// The identifier, for developers.
    public override var description: String { "<CKContainer \(containerIdentifier ?? "not configured")>" }
}
