/// The settings that all requests of one client share.
package struct HTTPClientConfiguration: Sendable {
    /// A PEM file with the certificates of the issuers to trust, instead of the system's.
    package var caFile: String?
    /// The longest that making a connection may take, the resolution of the name included.
    package var connectTimeout: Duration = .seconds(10)
    /// The number of connections that are kept open for later requests, those in use included: one above it is closed
    /// when its request ends, after a walk over all of them.
    package var connectionsKeptMaximum: Int = 16_384
    /// The bytes that a stream buffers for a slow consumer before it stops reading from the connection.
    package var streamBufferBytesMaximum: Int = 256 << 10
    /// The `User-Agent` header of requests that have none.
    package var userAgent: String = "HTTPClient"

    /// Makes a configuration that suits a service: every value can be changed.
    package init() {}
}
