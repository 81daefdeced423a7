import HTTPServer

/// One row of the tables of endpoints that credentials are needed for: what CloudKit Web Services and the device
/// endpoints are made of. `APICalls` makes a route of it.
struct APIEndpoint: Sendable {
    /// The right that a request needs; `Authorization` says which credentials give it.
    enum Right: Hashable, Sendable {
        /// To read the database, the public one also as nobody in particular: the role `_world`.
        case read
        /// To act in the database, the public one also as a server-to-server key.
        case act
        /// To know of users: a person, who asks the public database.
        case knowUsers
        /// For the caller's own identity, in the public database: a person, or the user of a server-to-server key.
        case knowOneself
        /// To act as a person, whatever the database of the path.
        case actAsPerson
        /// To sign in: nobody is needed for that.
        case signIn
    }

    /// The event that a request may wait for. Requests that wait are counted, and bounded in number.
    enum Waiting: Hashable, Sendable {
        /// For nothing: it works.
        case none
        /// For the answer, which is cut short when the server stops.
        case poll
        /// For an answer that is a stream, until its client leaves.
        case stream
    }

    /// The end of its paths, as in `records/modify`.
    let name: String
    let methods: [String]
    let right: Right
    let cost: RequestCost
    let answer: AnswerBound
    let waiting: Waiting
    /// True if the answer has a fresh token of the session. Requests that begin or end one return none.
    let renewsSession: Bool
    /// True if it changes nothing.
    let isReading: Bool
    let work: @Sendable (APICall) async throws -> HTTPResponse

    init(
        _ name: String, _ right: Right, _ answer: AnswerBound, methods: [String] = ["POST"],
        cost: RequestCost = .fixed(1), waiting: Waiting = .none, renewsSession: Bool = true, reads: Bool = false,
        work: @escaping @Sendable (APICall) async throws -> HTTPResponse
    ) {
        self.name = name
        self.methods = methods
        self.right = right
        self.cost = cost
        self.answer = answer
        self.waiting = waiting
        self.renewsSession = renewsSession
        isReading = reads || right == .read || methods == ["GET"]
        self.work = work
    }
}
