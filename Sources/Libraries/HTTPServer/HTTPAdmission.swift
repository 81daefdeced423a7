/// The treatment of a request's body, decided by its head before a byte of the body is read.
package enum HTTPAdmission: Sendable {
    /// Collect the body in memory; larger ones are refused with `HTTPRefusal.bodyTooLarge`. Memory of the body and of
    /// the answer counts to the share of `account`, the handler's name of the caller, and of the client's address.
    /// `HTTPRequest.admitted` returns the handler's own value. The connection of one that `yields` may be closed while
    /// its body arrives, when others need room. Of a form only the file is the body.
    case body(
        maximumBytes: Int, account: String? = nil, yields: Bool = false, form: FormPart? = nil,
        admitted: (any Sendable)? = nil)
    /// Write the body to a temporary file in this directory, on the server's own threads. A request without a body has
    /// empty bytes and no file. Of a form the file alone is the body.
    case file(
        directory: String, maximumBytes: Int, account: String? = nil, form: FormPart? = nil,
        admitted: (any Sendable)? = nil)
    /// Answer now. A small body is read and dropped; before a large one the connection is closed after the answer.
    case refuse(HTTPResponse)
}
