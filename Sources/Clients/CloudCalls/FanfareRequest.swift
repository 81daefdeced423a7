/// A request for a transport.
public struct FanfareRequest: Sendable {
    /// The method, `GET` or `POST`.
    public var method: String
    /// An absolute, percent-encoded URL. Its query contains secrets: leave it out of logs.
    public var url: String
    /// The body; empty for a GET.
    public var body: [UInt8]
    /// The maximum time for the whole answer; for a stream, the time until its header arrives.
    public var timeout: Duration

    /// Creates a request.
    public init(method: String = "GET", url: String, body: [UInt8] = [], timeout: Duration = .seconds(60)) {
        self.method = method
        self.url = url
        self.body = body
        self.timeout = timeout
    }
}
