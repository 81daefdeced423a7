/// An answer with its whole body. A status of 400 and above is an answer like any other, not an error.
package struct HTTPClientResponse: Sendable {
    /// The status.
    package var status: Int
    /// The header fields.
    package var headers: HTTPClientHeaders
    /// The body.
    package var body: [UInt8]

    /// An answer from its parts, for tests of what reads answers.
    package init(status: Int, headers: HTTPClientHeaders = HTTPClientHeaders([]), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
