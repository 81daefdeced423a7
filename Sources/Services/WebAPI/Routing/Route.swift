import CloudModel
import HTTPServer

/// One row of a mount's table: a path, and the work of its requests.
final class Route: Sendable {
    /// Decides by a request's head what becomes of its body, and notes in the visit what the work wants to find again.
    typealias Admit = @Sendable (HTTPRequestHead, inout Visit) throws(CloudError) -> HTTPAdmission

    /// Makes the answer to a request, of which `HTTPAnswer` says when and where.
    enum Work: Sendable {
        /// A page: the same kind of `now` that cannot fail, and whose answer needs no ID.
        case page(@Sendable () -> HTTPResponse)
        /// Answers at once, on the server's thread.
        case now(@Sendable (HTTPRequest, Visit) throws -> HTTPResponse)
        /// Answers later; let finish when the server stops.
        case later(@Sendable (HTTPRequest, Visit) async throws -> HTTPResponse)
        /// Answers when something happens; cut short when the server stops. Done again when what it returned to rest
        /// with wakes.
        case held(@Sendable (HTTPRequest, Visit) async throws -> HTTPResponse)
    }

    /// The name in the log.
    let name: String
    /// The subject of the sentence that refuses other methods.
    let title: String
    let path: PathPattern
    /// Methods it answers to. `HEAD` is a `GET` whose answer the server sends without its body.
    let methods: [String]
    /// Web pages that may read its answers.
    let origins: OriginPolicy
    let admit: Admit
    let work: Work

    /// - Parameters:
    ///   - title: the path, if it is not given.
    ///   - admit: takes no body, if it is not given.
    init(
        _ name: String, title: String? = nil, path: PathPattern, methods: [String] = ["GET"],
        origins: OriginPolicy = .own, admit: @escaping Admit = { _, _ in .body(maximumBytes: 0) }, work: Work
    ) {
        self.name = name
        self.title = title ?? path.description
        self.path = path
        self.methods = methods
        self.origins = origins
        self.admit = admit
        self.work = work
    }
}
