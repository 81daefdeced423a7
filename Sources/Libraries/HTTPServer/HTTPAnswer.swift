/// The ways to answer a request: at once, later, held, or as a stream.
package enum HTTPAnswer: Sendable {
    /// With this, at once. Costs no task: the way to answer where nothing is awaited.
    case now(HTTPResponse)
    /// With what this work returns; the connection holds no thread meanwhile. The work begins on the server's thread,
    /// where it must not block, and goes on in Swift's pool after its first suspension. It is cancelled when the client
    /// goes away; a server that ends lets it finish, and cancels it when its grace is over.
    case later(@Sendable () async -> HTTPResponse)
    /// Like `later`, for work that waits for something to happen (a long poll): a server that ends cancels it and answers
    /// `HTTPRefusal.stopping` at once.
    case held(@Sendable () async -> HTTPResponse)
}
