/// An event for the owner's log. Of a client's bytes it contains only the method and the decoded path.
package struct HTTPServerEvent: Sendable, Equatable {
    /// The importance of an event.
    package enum Severity: Sendable, Equatable {
        /// Clients that misbehave or leave, in libmicrohttpd's words.
        case debug
        /// The server refuses or loses connections.
        case warning
        /// The owner's code did what cannot be sent.
        case error
    }

    /// The importance of the event.
    package var severity: Severity
    /// A text: the event and, if there is one, the remedy.
    package var message: String

    /// An event, also for tests of logs.
    package init(severity: Severity, message: String) {
        self.severity = severity
        self.message = message
    }
}
