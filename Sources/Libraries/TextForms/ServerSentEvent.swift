/// One event of a stream of `text/event-stream`.
package struct ServerSentEvent: Sendable, Equatable {
    /// The last `id` the stream sent, this event's or an earlier one's; where to go on after a reconnection.
    package var id: String
    /// The type, `message` where the stream names none.
    package var event: String
    /// The data as it came, its lines separated by U+000A.
    package var data: [UInt8]

    /// An event from its parts.
    package init(id: String = "", event: String = "message", data: [UInt8]) {
        self.id = id
        self.event = event
        self.data = data
    }
}
