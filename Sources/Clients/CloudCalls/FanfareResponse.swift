/// The answer to a request.
public struct FanfareResponse: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The header fields in the order of arrival.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
