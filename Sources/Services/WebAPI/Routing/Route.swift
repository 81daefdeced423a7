package import HTTPServer

/// One row of a mount's table: a path, and the work of its requests.
package final class Route: Sendable {
    /// Makes the answer to a request, of which `HTTPAnswer` says when and where.
    package enum Work: Sendable {
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

    /// The methods that change nothing.
    package enum Reading: Hashable, Sendable {
        /// Every one.
        case all
        /// `GET` alone.
        case get
        /// None.
        case none
    }

    /// The name in the log.
    package let name: String
    /// The subject of the sentence that refuses other methods.
    let title: String
    package let path: PathPattern
    /// Methods it answers to. `HEAD` is a `GET` whose answer the server sends without its body.
    package let methods: [String]
    /// Web pages that may read its answers.
    let origins: OriginPolicy
    /// The methods that a listener answers that is for reading only.
    package let reading: Reading
    let admit: Admit
    package let work: Work

    /// - Parameters:
    ///   - title: the path, if it is not given.
    ///   - admit: takes no body, if it is not given.
    package init(
        _ name: String, title: String? = nil, path: PathPattern, methods: [String] = ["GET"],
        origins: OriginPolicy = .own, reading: Reading = .get,
        admit: @escaping Admit = { _, _ in .body(maximumBytes: 0) }, work: Work
    ) {
        self.name = name
        self.title = title ?? path.description
        self.path = path
        self.methods = methods
        self.origins = origins
        self.reading = reading
        self.admit = admit
        self.work = work
    }

    /// Returns true if a request with the method changes nothing.
    func isReading(_ method: String) -> Bool {
        switch reading {
        case .all: true
        case .get: method == "GET"
        case .none: false
        }
    }
}
