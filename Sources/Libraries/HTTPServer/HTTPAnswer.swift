/// The ways to answer a request: at once, later, held, or as a stream.
package enum HTTPAnswer: Sendable {
    /// With this, at once. Costs no task: the way to answer where nothing is awaited.
    case now(HTTPResponse)
    /// With what this work returns; the connection holds no thread meanwhile. The work begins on the server's thread,
    /// where it must not block, and goes on in Swift's pool after its first suspension. It is cancelled when the client
    /// goes away; a server that ends lets it finish, and cancels it when its grace is over.
    case later(@Sendable () async -> HTTPResponse)
    /// Like `later`, for work that waits for an event (a long poll): a stopping server cancels it and answers
    /// `HTTPRefusal.stopping` at once. The task need not stay during the wait: if it returns an answer whose body is
    /// `resting`, it ends, and the work runs again with the resting object when that wakes. It first runs with nil.
    case held(@Sendable (_ rested: (any HTTPResting)?) async -> HTTPResponse)
}

/// The object that a request leaves behind to wait without a task: all that it costs meanwhile.
package protocol HTTPResting: AnyObject, Sendable {
    /// Starts to wait. Calls `wake` once when the request can continue, on any thread; at once, if it can already.
    /// After `leave` it need not.
    func rest(_ wake: @escaping @Sendable () -> Void)

    /// The request is over, however it went. Called once, also when it was woken and answered.
    func leave()
}
