/// The numbers of open connections, requests and streams, for metrics.
package struct HTTPServerCounts: Sendable, Equatable {
    /// Connections, idle ones included.
    package var connections: Int
    /// Requests whose head has arrived and whose answer is not yet sent; held ones and streams included.
    package var requests: Int
    /// Requests whose answer is awaited (`HTTPAnswer.later` and `.held`).
    package var waiting: Int
    /// Streams being sent.
    package var streams: Int

    /// Counts to compare with.
    package init(connections: Int = 0, requests: Int = 0, waiting: Int = 0, streams: Int = 0) {
        self.connections = connections
        self.requests = requests
        self.waiting = waiting
        self.streams = streams
    }
}
