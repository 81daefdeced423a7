/// The treatment of a request's body, decided by its head before a byte of the body is read.
package enum HTTPAdmission: Sendable {
    /// Collect the body in memory; more than so many bytes are refused with `HTTPRefusal.bodyTooLarge`. Memory of the body and of
    /// the answer count to the share of `account`, and of the client's address: whatever the handler tells its callers apart by.
    /// `HTTPRequest.admitted` is what the handler wants to find again. The connection of one that `yields` may be closed while its
    /// body arrives, when others need room. Of a form the file alone is the body.
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
