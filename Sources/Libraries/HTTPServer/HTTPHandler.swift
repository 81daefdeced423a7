/// The owner of the routes: decides about bodies, answers requests, words refusals.
///
/// All are called on the server's worker threads, several at a time, and must not block: another few hundred connections
/// wait for the same thread.
package protocol HTTPHandler: Sendable {
    /// Decides about the body; called once for each request, before its body is read.
    func admit(_ head: HTTPRequestHead) -> HTTPAdmission

    /// Answers an admitted request; called once, when its body is complete.
    func answer(_ request: HTTPRequest) -> HTTPAnswer

    /// The answer, in the owner's own format, to a request that the server itself refuses. Its body is in memory.
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse

    /// The same for a request of which `admit` is not called, as its head cannot be read. Its body is in memory. By
    /// default that of `refusal(_:)`.
    /// - Parameter client: the address of the client, as in `HTTPRequestHead.client`.
    func refusal(_ refusal: HTTPRefusal, ofUnadmittedFrom client: ClientAddress?) -> HTTPResponse

    /// Called with the bytes of each body that leaves, refusals included: of bytes and of a file once, when the answer
    /// begins to be sent, of a stream with each part that the connection takes. Does nothing by default.
    /// - Parameters:
    ///   - client: the address of the client, as in `HTTPRequestHead.client`.
    ///   - admitted: the value that `admit` attached to its admission.
    func sending(_ bytes: Int, to client: ClientAddress?, admitted: (any Sendable)?)
}

extension HTTPHandler {
    package func refusal(_ refusal: HTTPRefusal, ofUnadmittedFrom client: ClientAddress?) -> HTTPResponse {
        self.refusal(refusal)
    }

    package func sending(_ bytes: Int, to client: ClientAddress?, admitted: (any Sendable)?) {}
}
