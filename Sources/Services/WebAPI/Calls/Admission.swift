import CloudModel
import HTTPServer
import Identity
import RecordService

/// The sender of a request by its head: decided before its body is read, from memory alone.
struct Admission: Sendable {
    /// The sender that the request counts to.
    let sender: Sender
    /// The API token or key that it came with, for rates.
    let credential: String
    /// True if the credentials are known and valid, but for a signature, which needs the body.
    let isKnown: Bool

    /// Checks the credentials.
    /// - Throws: the error that the request would get after its body, too: `AUTHENTICATION_REQUIRED`,
    ///   `AUTHENTICATION_FAILED`, `BAD_REQUEST`, `ACCESS_DENIED`.
    init(
        _ head: HTTPRequestHead, _ endpoint: APIEndpoint, _ database: DatabaseScope?, _ scope: APIScope
    ) throws(CloudError) {
        let given = try GivenCredentials(head)
        let address = head.client?.network
        if let signature = given.signature {
            try signature.checkDate(at: scope.records.now())
            isKnown = scope.credentials.key(signature.keyID) != nil
            sender = isKnown ? .key(scope.scope, signature.keyID) : .visitor(scope.scope, address)
            credential = signature.keyID
            if isKnown { try Authorization.check(.serverKey, endpoint, database) }
        } else {
            guard let token = given.apiToken else { throw Credentials.missing }
            guard Credentials.isToken(token) else { throw Credentials.unknown(token, scope) }
            let known = scope.credentials.token(token)
            // Before the refusal that asks for a sign-in: nobody on such a page may sign in.
            if let known, let origin = head.headers["Origin"], !origin.isEmpty, !known.allows(origin) {
                throw CrossOrigin.foreign(origin)
            }
            isKnown = known != nil
            credential = token
            if let token = given.webAuthToken {
                let user = try scope.webAuthTokens.session(of: token, in: scope.scope, at: scope.records.now()).user
                sender = .user(scope.scope, user)
            } else {
                sender = .visitor(scope.scope, address)
            }
            if isKnown { try Authorization.check(given.webAuthToken == nil ? .apiToken : .user, endpoint, database) }
        }
        // Where credentials are made, and taken back, in another process, this one learns of it by being asked.
        guard isKnown || (head.bodyBytesAnnounced ?? 0) <= Limits.unknownBodyBytesMax else {
            scope.credentials.refreshSoon()
            throw CloudError(
                .authenticationFailed,
                "the credentials are not known to \(scope.scope.container)/\(scope.scope.environment), and without known ones a body has at most \(Limits.unknownBodyBytesMax) bytes; those made a moment ago are known in a second"
            )
        }
    }

    /// Bytes of a body at most.
    func bodyBytesMax(_ maximum: Int) -> Int { isKnown ? maximum : min(maximum, Limits.unknownBodyBytesMax) }
}
