/// What all requests of one client share.
package struct HTTPClientConfiguration: Sendable {
    /// A PEM file with the certificates of the issuers to trust, instead of the system's.
    package var caFile: String?
    /// How long making a connection may take, the resolution of the name included.
    package var connectTimeout: Duration = .seconds(10)
    /// How many idle connections are kept for later requests.
    package var connectionsKeptMaximum: Int = 1024
    /// What a stream buffers for a slow consumer, in bytes, before it stops reading from the connection.
    package var streamBufferBytesMaximum: Int = 256 << 10
    /// The `User-Agent` header of requests that have none.
    package var userAgent: String = "HTTPClient"

    package init() {}
}
