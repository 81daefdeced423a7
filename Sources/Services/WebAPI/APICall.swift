import CloudModel
import HTTPServer
import RecordService

/// One request with everything that was found out about it.
struct APICall: Sendable {
    let request: HTTPRequest
    let route: Route
    let scope: APIScope
    let caller: Caller
    /// The caller's sign-in; nil for those who have none.
    let session: UserSession?
    let largeWork: LargeWork

    /// Does what is asked. A large body is not even read before there is room for what it becomes.
    func response() async throws -> HTTPResponse {
        guard isAdmittedByItsBody else { return try await work() }
        return try await largeWork.pass(needOfBody) { try await work() }
    }

    /// Works once there is room for so many bytes of records.
    func large(_ bytes: Int, _ work: @Sendable () async throws -> HTTPResponse) async throws -> HTTPResponse {
        // Who is in does not stand in line again.
        isAdmittedByItsBody ? try await work() : try await largeWork.pass(bytes, work)
    }

    private var isAdmittedByItsBody: Bool { needOfBody > LargeWork.smallBytes }

    private var needOfBody: Int {
        guard case .bytes(let bytes) = request.body else { return 0 }
        return LargeWork.bytes(ofBody: bytes.count)
    }

    private func work() async throws -> HTTPResponse {
        switch route.endpoint {
        case .recordsModify: try await modifyRecords()
        case .recordsLookup: try await lookUpRecords()
        case .recordsQuery: try await queryRecords()
        case .recordsChanges: try await recordChanges()
        case .recordsResolve: try await resolveShares()
        case .recordsAccept: try await acceptShares()
        case .changesDatabase: try await databaseChanges()
        case .changesZone: try await zoneChanges()
        case .zonesList: try await listZones()
        case .zonesLookup: try await lookUpZones()
        case .zonesModify: try await modifyZones()
        case .zonesChanges: try await metaChanges()
        case .subscriptionsModify: try await modifySubscriptions()
        case .subscriptionsList: try await listSubscriptions()
        case .subscriptionsLookup: try await lookUpSubscriptions()
        case .usersCaller, .usersCurrent: try await currentUser()
        case .usersDiscover: try await discoverUsers()
        case .usersDiscoverable: try await setDiscoverable()
        case .usersLookupEmail: try await lookUpUsers(byEmail: true)
        case .usersLookupContacts: try await lookUpContacts()
        case .usersLookupID: try await lookUpUsers(byEmail: false)
        case .assetsUpload: try await makeAssetUploads()
        case .assetsRereference: try await rereferenceAssets()
        case .devicesRegister: try await registerDevice()
        case .devicesList: try await listDevices()
        case .devicesUnregister: try await unregisterDevice()
        case .notificationsChanges: try await notificationChanges()
        case .notificationsStream: try await notificationStream()
        case .notificationsMarkRead: try await markRead()
        case .tokensCreate: try await createToken()
        case .tokensRegister: try await registerToken()
        case .badgeModify: try await modifyBadge()
        case .badgeCurrent: try await currentBadge()
        case .signIn: try await signIn()
        case .signOut: try await signOut()
        }
    }

    /// The body as JSON.
    func body() throws(CloudError) -> JSONPath {
        guard case .bytes(let bytes) = request.body else { throw .badRequest("the body must be a JSON object") }
        return try JSONPath.body(bytes)
    }

    /// The database of the path.
    var database: DatabaseScope { route.database ?? .public }
}
