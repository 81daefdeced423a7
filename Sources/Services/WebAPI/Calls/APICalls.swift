import CloudModel
import HTTPServer
import Identity
import RecordStore

/// Lets requests in by their credentials and within their rates, and makes an `APICall` of each.
struct APICalls: Sendable {
    let rates: RateGuard
    /// Bytes of a request's body at most.
    let bodyBytesMax: Int
    let works = Works()

    init(rates: RateGuard, bodyBytesMax: Int) {
        self.rates = rates
        self.bodyBytesMax = bodyBytesMax
    }

    /// Makes a route of an endpoint.
    /// - Parameter prefix: what its path begins with; names the container and environment.
    func route(_ endpoint: APIEndpoint, under prefix: String) -> Route {
        let work: @Sendable (HTTPRequest, Visit) async throws -> HTTPResponse = { request, visit in
            try await respond(request, visit, endpoint)
        }
        return Route(
            endpoint.name, title: endpoint.name, path: PathPattern(prefix + endpoint.name), methods: endpoint.methods,
            origins: .ofToken, reading: endpoint.isReading ? .all : .none,
            admit: { head, visit throws(CloudError) in try admit(head, &visit, endpoint) },
            // What only waits may be cut short when the server ends; what changes something is let finish.
            work: endpoint.waiting == .poll ? .held(work) : .later(work))
    }

    /// Looks at the credentials of a request before its body is read.
    private func admit(
        _ head: HTTPRequestHead, _ visit: inout Visit, _ endpoint: APIEndpoint
    ) throws(CloudError) -> HTTPAdmission {
        let scope = try visit.servedScope()
        let admission: Admission
        do throws(CloudError) {
            admission = try Admission(head, endpoint, visit.database, scope)
        } catch {
            throw error.leadingToSignIn(head, scope)
        }
        visit.admission = admission
        // An API token is public: it does not vouch for a sign-in, which may be a guess.
        visit.note(
            admission.sender, admission.credential, isGood: admission.isKnown && endpoint.right != .signIn)
        try rates.begin(admission.sender, admission.credential)
        return .body(
            maximumBytes: admission.bodyBytesMax(bodyBytesMax), account: admission.sender.account,
            yields: admission.sender.isVisitor)
    }

    private func respond(
        _ request: HTTPRequest, _ visit: Visit, _ endpoint: APIEndpoint
    ) async throws -> HTTPResponse {
        let scope = try visit.servedScope()
        do {
            // Of a request that the server did not admit, as in tests of this alone, the head is looked at now.
            let admission = try visit.admission ?? Admission(request.head, endpoint, visit.database, scope)
            return try await respond(request, visit, endpoint, scope, admission)
        } catch let error as CloudError {
            // A revoked credential admits no large body either, from now on.
            if error.isAboutCredentials, visit.admission?.isKnown == true { scope.credentials.refreshSoon() }
            throw error.leadingToSignIn(request.head, scope)
        }
    }

    private func respond(
        _ request: HTTPRequest, _ visit: Visit, _ endpoint: APIEndpoint, _ scope: APIScope, _ admission: Admission
    ) async throws -> HTTPResponse {
        let rested = visit.rested as? HeldPoll<NotificationPoll>
        let credentials = try await Credentials(request, scope, at: rested?.subject.begun)
        // Made a moment ago: the next request has its body admitted by it.
        if rested == nil, !admission.isKnown { try await scope.credentials.refresh() }
        try Authorization.check(credentials.kind, endpoint, visit.database)
        let call = APICall(
            request: request, endpoint: endpoint, database: visit.database ?? .public, scope: scope,
            caller: credentials.caller, session: credentials.session, sender: admission.sender, works: works,
            charge: { [payer = visit.payer] in rates.take($0, .cost, payer) }, rested: rested)
        // A stream and a poll read little at a time, for as long as they last.
        let work = StoreWork(
            account: admission.sender.account, bytesMax: endpoint.waiting == .none ? Limits.storeBytesMax : .max)
        defer { rates.take(work.moved, .bytes, visit.payer) }
        var response = try await StoreWork.$current.withValue(work) {
            try await holding(endpoint, admission, rested) { try await call.response() }
        }
        guard !response.isResting else { return response }
        // Before the token: answers have always had them in this order.
        response.headers.append((RequestID.header, visit.id))
        if endpoint.renewsSession, let session = credentials.session {
            response.headers.append((GivenCredentials.webAuthTokenHeader, scope.token(of: session).token))
        }
        return response
    }

    /// Counts requests that wait for something to happen, for as long as they do: a stream's until it ends, and one's
    /// that has rested until it is over.
    private func holding(
        _ endpoint: APIEndpoint, _ admission: Admission, _ rested: HeldPoll<NotificationPoll>?,
        _ work: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard endpoint.waiting != .none, rested == nil else { return try await work() }
        let held = try rates.hold(admission.sender, admission.credential)
        do {
            let response = try await work()
            switch response.body {
            case .stream(let stream): stream.onClose { _ in held.end() }
            case .resting(let poll as HeldPoll<NotificationPoll>): poll.whenOver { held.end() }
            default: held.end()
            }
            return response
        } catch {
            held.end()
            throw error
        }
    }
}
