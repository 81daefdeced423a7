import Feeds
import Testing

/// The state of a request that waits for something new in a feed.
@Suite struct FeedPollTests {
    @Test("a poll reads at first, waits when there was nothing, and reads again after a ring")
    func ring() {
        var poll = FeedPoll()
        #expect(poll.state == .reading)
        #expect(poll.beginReading() == true, "the first time")
        #expect(poll.state == .reading, "it is under way")
        poll.foundNothing()
        #expect(poll.state == .waiting)
        #expect(poll.beginReading() == nil, "nothing has to be read")
        for _ in 0..<3 {
            poll.ring()
            #expect(poll.state == .reading)
            #expect(poll.beginReading() == false)
            poll.foundNothing()
            #expect(poll.state == .waiting)
        }
    }

    @Test("a ring while the feed is read means to read again, once")
    func ringWhileReading() {
        var poll = FeedPoll()
        #expect(poll.beginReading() == true)
        poll.ring()
        poll.ring()
        poll.foundNothing()
        #expect(poll.state == .reading, "what rang may not be in what was read")
        #expect(poll.beginReading() == false)
        poll.foundNothing()
        #expect(poll.state == .waiting)
        #expect(poll.beginReading() == nil)
    }

    @Test("a ring before the first reading is a part of it")
    func ringBeforeReading() {
        var poll = FeedPoll()
        poll.ring()
        #expect(poll.beginReading() == true)
        poll.foundNothing()
        #expect(poll.state == .waiting)
    }

    @Test("several rings while it waits are one reading")
    func rings() {
        var poll = FeedPoll()
        #expect(poll.beginReading() == true)
        poll.foundNothing()
        for _ in 0..<3 { poll.ring() }
        #expect(poll.beginReading() == false)
        poll.foundNothing()
        #expect(poll.state == .waiting)
    }

    @Test("a poll with an answer reads no more, whatever rings")
    func answered() {
        var poll = FeedPoll()
        #expect(poll.beginReading() == true)
        poll.answer()
        #expect(poll.state == .answering)
        poll.ring()
        #expect(poll.beginReading() == nil && poll.state == .answering)
        poll.foundNothing()
        #expect(poll.state == .answering)
        // One whose time is over is answered while it waits.
        var late = FeedPoll()
        #expect(late.beginReading() == true)
        late.foundNothing()
        late.answer()
        late.ring()
        #expect(late.beginReading() == nil && late.state == .answering)
    }

    private static let changes: [@Sendable (inout FeedPoll) -> Void] = [
        { _ = $0.beginReading() }, { $0.foundNothing() }, { $0.answer() }, { $0.ring() }, { $0.end() },
    ]

    @Test("nothing changes a poll that is over, wherever it was")
    func over() {
        var reading = FeedPoll()
        _ = reading.beginReading()
        var (waiting, rung, answered) = (reading, reading, reading)
        waiting.foundNothing()
        rung.ring()
        answered.answer()
        for begun in [FeedPoll(), reading, waiting, rung, answered] {
            for first in Self.changes {
                for second in Self.changes {
                    var poll = begun
                    poll.end()
                    first(&poll)
                    second(&poll)
                    #expect(poll.state == .over)
                    #expect(poll.beginReading() == nil)
                }
            }
        }
    }

    // MARK: All orders

    /// What happens to a poll.
    private enum Event: CaseIterable {
        case begin, nothing, answer, ring, end
    }

    /// A poll by what happened to it, in other words.
    private struct Oracle {
        /// There may be something that no reading began after.
        var hasNews = true
        var hasBegun = false
        var isReading = false
        var isAnswered = false
        var isOver = false

        var state: FeedPoll.State {
            if isOver { return .over }
            if isAnswered { return .answering }
            return hasNews || isReading ? .reading : .waiting
        }

        /// Readings are one after the other, and only one that is under way finds nothing.
        func mayHave(_ event: Event) -> Bool {
            switch event {
            case .begin: !isReading
            case .nothing: isReading
            case .answer, .ring, .end: true
            }
        }

        /// - Returns: what `beginReading` does.
        mutating func take(_ event: Event) -> Bool? {
            switch event {
            case .begin:
                guard hasNews, !isAnswered, !isOver else { return nil }
                (hasNews, isReading) = (false, true)
                defer { hasBegun = true }
                return !hasBegun
            case .nothing: isReading = false
            case .answer: isAnswered = true
            case .ring: hasNews = true
            case .end: isOver = true
            }
            return nil
        }
    }

    /// Goes on in all ways; says where one went wrong.
    private static func explore(_ poll: FeedPoll, _ oracle: Oracle, _ path: [Event], depth: Int) -> Int {
        guard depth > 0 else { return 1 }
        var count = 0
        for event in Event.allCases where oracle.mayHave(event) {
            var (next, expected) = (poll, oracle)
            let begins = expected.take(event)
            var begun: Bool?
            switch event {
            case .begin: begun = next.beginReading()
            case .nothing: next.foundNothing()
            case .answer: next.answer()
            case .ring: next.ring()
            case .end: next.end()
            }
            guard next.state == expected.state, begun == begins else {
                Issue.record("\(path + [event]): \(next.state) \(String(describing: begun)), not \(expected)")
                continue
            }
            count += explore(next, expected, path + [event], depth: depth - 1)
        }
        return count
    }

    @Test("in every order of events a poll reads what rang, once, and nothing else")
    func orders() {
        #expect(Self.explore(FeedPoll(), Oracle(), [], depth: 7) > 10_000)
    }
}
