/// An answer whose body is consumed as it comes, by one consumer. The transfer ends when the stream is let go of, or the
/// task that consumes it is cancelled.
public struct FanfareStream: AsyncSequence, Sendable {
    /// Bytes as they came, in pieces of any size.
    public typealias Element = [UInt8]

    /// The HTTP status.
    public let status: Int
    private let read: @Sendable () async throws -> [UInt8]?

    /// A stream that reads by a function, which returns nil at the end.
    public init(status: Int, read: @escaping @Sendable () async throws -> [UInt8]?) {
        self.status = status
        self.read = read
    }

    /// The one iterator of the one consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    /// Takes pieces from the stream.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> [UInt8]?

        /// The next piece; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await read() }
    }
}
