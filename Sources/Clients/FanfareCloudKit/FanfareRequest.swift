/// A request that a transport carries.
public struct FanfareRequest: Sendable {
    /// The method, `GET` or `POST`.
    public var method: String
    /// An absolute URL, with what must be escaped escaped. Its query carries secrets: leave it out of logs.
    public var url: String
    /// The body; empty for a GET.
    public var body: [UInt8]
    /// The time that all may take; of a stream, the time to the head of the answer.
    public var timeout: Duration

    /// A request from its parts.
    public init(method: String = "GET", url: String, body: [UInt8] = [], timeout: Duration = .seconds(60)) {
        self.method = method
        self.url = url
        self.body = body
        self.timeout = timeout
    }
}
