/// An answer. The server adds the length, `Date` and, where it ends the connection, `Connection: close`.
package struct HTTPResponse: Sendable {
    /// The part of an answer that follows its head.
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// A part of a file, opened when the answer is sent; to its end when `length` is nil. Sent by the kernel.
        case file(path: String, offset: Int = 0, length: Int? = nil)
        /// Bytes that come later, until the stream is finished; in chunks, unless the stream knows its length.
        case stream(HTTPResponseStream)
        /// None yet: the request waits, and is answered when this has woken (`HTTPAnswer.held`).
        case resting(any HTTPResting)
    }

    /// The status, 200 to 599.
    package var status: Int
    /// Header fields in the order they are sent; one with an empty value is left out. `Content-Length` and
    /// `Transfer-Encoding` are the server's.
    package var headers: [(String, String)]
    /// The part that follows the head.
    package var body: Body

    /// Bytes of a body that is in memory; nil for a file and a stream.
    package var bytesCount: Int? {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .file, .stream, .resting: nil
        }
    }

    /// Indicates whether the request waits, and this is no answer yet.
    package var isResting: Bool { if case .resting = body { true } else { false } }

    /// An answer from its parts; nothing is checked before it is sent.
    package init(status: Int, headers: [(String, String)] = [], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
