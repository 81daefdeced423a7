/// The reasons for the end of a stream.
package enum HTTPStreamEnd: Sendable, Equatable {
    /// The writer finished it and all of it was sent.
    case finished
    /// The client closed the connection, or the answer with the stream was never sent.
    case clientLeft
    /// More was waiting to be sent than the stream may buffer; the connection was closed.
    case readerTooSlow
    /// The server ended and its grace was over.
    case serverStopped
}
