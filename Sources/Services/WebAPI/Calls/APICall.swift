import CloudJSON
import CloudModel
import HTTPServer
import Identity
import JSON
import RecordService
import Waiting

/// One request with everything that was found out about it.
struct APICall: Sendable {
    let request: HTTPRequest
    let endpoint: APIEndpoint
    /// The database of the path; the public one where the path has none.
    let database: DatabaseScope
    let scope: APIScope
    let caller: Caller
    /// The caller's sign-in; nil for those who have none.
    let session: UserSession?
    /// The sender that the work counts to.
    let sender: Sender
    let works: Works
    /// The poll that goes on, of a request that has rested.
    let rested: HeldPoll<NotificationPoll>?
    /// Counts what the request costs.
    private let charge: @Sendable (Int) -> Void
    /// The body, where it was read apart from the work.
    private var parsed: JSONPath?

    /// The body as JSON, where it was read apart from the work or is needed before it.
    var parsedBody: JSONValue? { parsed?.value }

    init(
        request: HTTPRequest, endpoint: APIEndpoint, database: DatabaseScope, scope: APIScope, caller: Caller,
        session: UserSession?, sender: Sender, works: Works, charge: @escaping @Sendable (Int) -> Void,
        rested: HeldPoll<NotificationPoll>? = nil
    ) {
        self.request = request
        self.endpoint = endpoint
        self.database = database
        self.scope = scope
        self.caller = caller
        self.session = session
        self.sender = sender
        self.works = works
        self.charge = charge
        self.rested = rested
    }

    /// Does the work of the endpoint. A large body is not parsed before there is room for what it becomes, and then on
    /// a thread of its own.
    func response() async throws -> HTTPResponse {
        // A resumed poll has read the body already.
        guard rested == nil else { return try await endpoint.work(self) }
        guard needOfBody <= LargeWork.smallBytes else {
            // The body is not parsed before it has room, so that no more is known of the answer.
            return try await works.large.pass(needOfBody + endpoint.answer.most, for: sender) {
                try await endpoint.work(reading())
            }
        }
        let call = try await reading()
        return try await works.large.pass(try await endpoint.answer.bytes(of: call), for: sender) {
            try await endpoint.work(call)
        }
    }

    /// The call with its body read, if that takes long.
    private func reading() async throws -> APICall {
        guard case .bytes(let bytes) = request.body, !bytes.isEmpty else {
            charge(endpoint.cost.of(nil))
            return self
        }
        var call = self
        defer { charge(endpoint.cost.of(call.parsed?.value)) }
        guard bytes.count >= Works.parsedApartBytes else {
            // Endpoints that need a body return the error of an invalid one.
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

    private var needOfBody: Int {
        guard case .bytes(let bytes) = request.body else { return 0 }
        return LargeWork.bytes(ofBody: bytes.count)
    }

    /// The body as JSON.
    func body() throws(CloudError) -> JSONPath {
        if let parsed { return parsed }
        guard case .bytes(let bytes) = request.body else { throw .badRequest("the body must be a JSON object") }
        return try JSONPath.body(bytes)
    }

    /// The zone that the body names, or the default one.
    func requestZone(_ body: JSONPath) throws(CloudError) -> RequestZone {
        RequestZone(
            zone: try ZoneDecoding.requestZone(body), owner: database == .private ? caller.user : nil)
    }

    /// The body as JSON; nil when it is empty.
    func bodyIfAny() throws(CloudError) -> JSONPath? {
        if case .bytes(let bytes) = request.body, bytes.isEmpty { return nil }
        return try body()
    }
}
