/// The owner of the routes: decides about bodies, answers requests, words refusals.
///
/// All three are called on the server's worker threads, several at a time, and must not block: another few hundred
/// connections wait for the same thread.
package protocol HTTPHandler: Sendable {
    /// Decides about the body; called once for each request, before its body is read.
    func admit(_ head: HTTPRequestHead) -> HTTPAdmission

    /// Answers an admitted request; called once, when its body is complete.
    func answer(_ request: HTTPRequest) -> HTTPAnswer

    /// The answer, in the owner's own format, to a request that the server itself does not serve. Its body is in memory.
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse
}
