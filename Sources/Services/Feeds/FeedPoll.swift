/// The state of a request that waits for something new in a feed, without a task. Pure: a driver reads, waits, and wakes
/// the request.
package struct FeedPoll: Hashable, Sendable {
    /// The states of a request.
    package enum State: Hashable, Sendable {
        /// The feed has to be read, or is: at first, and after each ring.
        case reading
        /// There was nothing new: the request waits for a ring, or for the end of its time.
        case waiting
        /// The request has its answer.
        case answering
        /// The request is over.
        case over
    }

    /// The present state.
    package private(set) var state = State.reading
    /// True until the first reading has begun.
    private var isFirst = true
    /// True for a ring since the last reading began.
    private var hasRung = false

    package init() {}

    /// Begins to read where that has to be done.
    /// - Returns: whether it is the first time; nil where nothing has to be read.
    package mutating func beginReading() -> Bool? {
        guard state == .reading else { return nil }
        hasRung = false
        return exchange(&isFirst, with: false)
    }

    /// Notes that nothing new was read: the request waits, or reads again if it was rung for meanwhile.
    package mutating func foundNothing() { if state == .reading, !hasRung { state = .waiting } }

    /// Notes that the request has its answer.
    package mutating func answer() { if state != .over { state = .answering } }

    /// Notes that there may be something new.
    package mutating func ring() {
        hasRung = true
        if state == .waiting { state = .reading }
    }

    /// Ends the request, however it went.
    package mutating func end() { state = .over }
}
