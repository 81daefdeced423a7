/// The size of a pool, and its patience.
package struct PostgreSQLPoolConfiguration: Sendable {
    /// The number of connections, each with a thread of its own.
    package var connections: Int
    /// The most callers that wait for a connection; further ones are refused with kind `busy`.
    package var waitersMaximum: Int
    /// The pause after the first failure of a connection; it doubles with each further one.
    package var pause: Duration
    /// The longest pause.
    package var pauseMaximum: Duration

    package init(
        connections: Int, waitersMaximum: Int = 1024, pause: Duration = .milliseconds(50),
        pauseMaximum: Duration = .seconds(2)
    ) {
        self.connections = connections
        self.waitersMaximum = waitersMaximum
        self.pause = pause
        self.pauseMaximum = pauseMaximum
    }

    /// The pause after so many failures in a row, none before the first. Somewhere between half and all of it, so that
    /// the connections of many processes do not come at once.
    func pause(after failures: Int, random: Double) -> Duration {
        guard failures > 0 else { return .zero }
        let whole = min(pause * Int(1 << min(failures - 1, 20)), pauseMaximum)
        return whole * (0.5 + random / 2)
    }
}
