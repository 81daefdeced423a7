import CloudJSON
import CloudModel
import HTTPServer
import Identity
import RecordService
import Waiting

/// One request with everything that was found out about it.
struct APICall: Sendable {
    let request: HTTPRequest
    let route: Route
    let scope: APIScope
    let caller: Caller
    /// The caller's sign-in; nil for those who have none.
    let session: UserSession?
    /// Whom the work counts to.
    let sender: Sender
    let works: Works
    /// Counts what the request costs.
    private let charge: @Sendable (Int) -> Void
    /// The body, where it was read apart from the work.
    private var parsed: JSONPath?

    init(
        request: HTTPRequest, route: Route, scope: APIScope, caller: Caller, session: UserSession?, sender: Sender,
        works: Works, charge: @escaping @Sendable (Int) -> Void
    ) {
        self.request = request
        self.route = route
        self.scope = scope
        self.caller = caller
        self.session = session
        self.sender = sender
        self.works = works
        self.charge = charge
    }

    /// Does what is asked. A large body is not even read before there is room for what it becomes, and then on a thread of
    /// its own.
    func response() async throws -> HTTPResponse {
        guard isAdmittedByItsBody else { return try await reading().work() }
        return try await works.large.pass(needOfBody, for: sender) { try await reading().work() }
    }

    /// The call with its body read, if that takes long.
    private func reading() async throws -> APICall {
        guard case .bytes(let bytes) = request.body, !bytes.isEmpty else {
            charge(RequestCost.of(route.endpoint, nil))
            return self
        }
        var call = self
        defer { charge(RequestCost.of(route.endpoint, call.parsed?.value)) }
        guard bytes.count >= Works.parsedApartBytes else {
            // What is no JSON is told so by those endpoints that want a body.
            call.parsed = try? JSONPath.body(bytes)
            return call
        }
        do {
            call.parsed = try await works.pool.run(for: sender, waitingAtMost: LargeWork.patience) { _ in
                try JSONPath.body(bytes)
            }
        } catch let refusal as WaitingRefusal {
            throw LargeWork.error(refusal)
        }
        return call
    }

    /// Works once there is room for so many bytes of records.
    func large(_ bytes: Int, _ work: @Sendable () async throws -> HTTPResponse) async throws -> HTTPResponse {
        // Who is in does not stand in line again.
        isAdmittedByItsBody ? try await work() : try await works.large.pass(bytes, for: sender, work)
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
        if let parsed { return parsed }
        guard case .bytes(let bytes) = request.body else { throw .badRequest("the body must be a JSON object") }
        return try JSONPath.body(bytes)
    }

    /// The database of the path.
    var database: DatabaseScope { route.database ?? .public }
}
