package import CloudModel

/// The service clock as a store has it.
package struct StoredClock: Hashable, Sendable {
    /// The time of the service clock.
    package var time: Timestamp
    /// The machine's clock at that moment.
    package var wall: Timestamp

    package init(time: Timestamp, wall: Timestamp) {
        self.time = time
        self.wall = wall
    }
}
