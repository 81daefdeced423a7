import HTTPServer

/// The wording of what a port's router says by itself.
protocol Dialect: Sendable {
    /// The answer to a request whose path leads nowhere.
    func notFound(_ head: HTTPRequestHead) -> HTTPResponse

    /// The answer to a request with a method that its route does not have, with the CORS headers.
    func wrongMethod(_ method: String, _ route: Route, _ headers: [(String, String)]) -> HTTPResponse

    /// The answer to a request that failed.
    /// - Parameters:
    ///   - id: the answer's name.
    ///   - route: the route's name, for the log.
    func failure(_ error: any Error, _ id: String, _ route: String) -> HTTPResponse

    /// Puts its name into an answer that has none yet.
    func name(_ response: inout HTTPResponse, _ id: String)

    /// The answer to what the server refuses by itself.
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse
}
