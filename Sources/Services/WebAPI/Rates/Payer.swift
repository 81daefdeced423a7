import HTTPServer

/// The parties that a request counts to, each nil where it is not known.
struct Payer: Sendable {
    /// The client's address.
    var address: ClientAddress?
    var sender: Sender?
    /// The API token or server-to-server key.
    var credential: String?
}
