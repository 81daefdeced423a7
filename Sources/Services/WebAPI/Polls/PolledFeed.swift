import Feeds

/// The subject of a poll: what it reads when it is woken, and what wakes it.
protocol PolledFeed: Sendable {
    /// The answer of the poll.
    associatedtype Found: Sendable

    /// True where a reading is cancelled at the end of the poll's time; false where it takes what it reads.
    static var endsInTime: Bool { get }

    /// Rings when there may be something new; nil before the first reading, which comes after it was made.
    var watch: FeedWakeups.Watch? { get async }

    /// Reads what there is; nil where there is nothing new.
    /// - Parameter isFirst: true at the beginning, false after a ring.
    func read(isFirst: Bool) async throws -> Found?

    /// The answer at the end of the poll's time.
    func nothing() async -> Found

    /// Ends the watch and the reading.
    func close() async
}
