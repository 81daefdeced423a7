package import JSON
import TextForms

/// The notifications of one connection as they arrive. Ends when the service closes the connection.
package struct NotificationEvents: AsyncSequence, Sendable {
    /// A notification and the change token after it.
    package struct Element: Sendable {
        /// The notification as the service's JSON.
        package var json: JSONValue
        /// The change token to reconnect with.
        package var token: String
    }

    let stream: FanfareStream

    /// The iterator of the single consumer.
    package func makeAsyncIterator() -> Iterator { Iterator(bytes: stream.makeAsyncIterator()) }

    /// Reads notifications from the connection.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var bytes: FanfareStream.Iterator
        private var parser = ServerSentEvents()
        private var events: ArraySlice<ServerSentEvent> = []

        fileprivate init(bytes: FanfareStream.Iterator) { self.bytes = bytes }

        /// The next notification; nil at the end of the connection.
        /// - Throws: `FanfareError` for an error event of the service; the transport's errors.
        package mutating func next() async throws -> Element? {
            while true {
                while let event = events.popFirst() {
                    switch event.event {
                    case "notification":
                        return Element(json: try JSONValue(parsing: event.data), token: event.id)
                    case "error": throw FanfareError(event: event.data)
                    default: continue
                    }
                }
                guard let piece = try await bytes.next() else { return nil }
                events = try parser.feed(piece[...])[...]
            }
        }
    }
}
