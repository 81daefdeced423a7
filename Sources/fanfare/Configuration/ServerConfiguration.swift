import CloudModel

/// The settings of the public port.
struct ServerConfiguration: Sendable {
    var listen = "127.0.0.1:8080"
    var publicURL = ""
    var securityContacts: [String] = []
    var securityExpires = ""
    var tlsCertificate = ""
    var tlsKey = ""
    var bodyMebibytesMax = Limits.requestBodyBytesDefaultMax >> 20
    var bodiesMebibytesMax = 128
    var connectionsMax = 12_000
}
