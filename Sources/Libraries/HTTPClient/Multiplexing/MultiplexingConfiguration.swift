/// The settings of a `MultiplexedConnection` or a `GuardedClient`.
package struct MultiplexingConfiguration: Sendable {
    /// A certificate of this client and its key, as PEM files, for servers that demand one.
    package struct ClientCertificate: Sendable {
        package var certificateFile: String
        /// Nil if the certificate's file has the key, too.
        package var keyFile: String?

        package init(certificateFile: String, keyFile: String? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The most requests on one connection at once; a new connection begins with one, and each answer doubles it.
    package var streamsMaximum: Int = 200
    /// The bytes of an answer's body that are kept; its rest is not read.
    package var responseBytesMaximum: Int = 4096
    /// The longest that making a connection may take, the resolution of the name included.
    package var connectTimeout: Duration = .seconds(10)
    /// The most connections to all hosts together; each host has one.
    package var connectionsMaximum: Int = 256
    /// A PEM file with the certificates of the issuers to trust, instead of the system's.
    package var caFile: String?
    package var clientCertificate: ClientCertificate?
    /// The `User-Agent` header of requests that have none.
    package var userAgent: String = "HTTPClient"
    /// Called on the client's thread for each connection that is opened, or tried.
    package var connecting: (@Sendable () -> Void)?
    /// Addresses in place of the resolver's, as `host:port:address`, read for each request; for tests.
    var resolutions: (@Sendable () -> [String])?

    /// Makes a configuration that suits a service: every value can be changed.
    package init() {}
}
