/// An answer whose body is read as it arrives, by one consumer. The transfer ends when the stream is released or the
/// consuming task is cancelled.
public struct FanfareStream: AsyncSequence, Sendable {
    /// A chunk of bytes as it arrived, of any size.
    public typealias Element = [UInt8]

    /// The HTTP status.
    public let status: Int
    private let read: @Sendable () async throws -> [UInt8]?

    /// Creates a stream from a function that returns the next chunk, nil at the end.
    public init(status: Int, read: @escaping @Sendable () async throws -> [UInt8]?) {
        self.status = status
        self.read = read
    }

    /// The iterator of the single consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    /// Reads chunks from the stream.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> [UInt8]?

        /// The next chunk; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await read() }
    }
}
