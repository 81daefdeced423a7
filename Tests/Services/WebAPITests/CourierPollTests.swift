import HTTPServer
import JSON
import TestSupport
import Testing

@testable import Feeds

/// Polls of web couriers, in all ways in which they wait and end.
@Suite struct CourierPollTests {
    /// The ways in which a poll that rests ends.
    enum End: CaseIterable {
        /// A notification comes.
        case answered
        /// Nothing comes in time.
        case timedOut
        /// The client leaves while the poll rests.
        case left
        /// The client leaves while the poll reads.
        case leftWhileReading
        /// The courier is removed.
        case removed
    }

    @Test("a poll counts among those that are held, and watches its journal, until it ends", arguments: End.allCases)
    func ends(end: End) async throws {
        try await CourierPort.run { port in
            let poll = try port.poll()
            #expect(await poll.goOn() == nil)
            #expect(port.held == 1 && port.bench.news.waitingCount == 1)
            switch end {
            case .answered:
                try await port.save("r")
                #expect(Self.record(try await poll.answer()) == "r")
            case .timedOut: Self.expectEmpty(try await port.end(of: poll))
            case .left: poll.leave()
            case .leftWhileReading:
                try await port.save("r")
                try await port.arrival(of: "r")
                #expect(try await poll.goOnCancelled().flatMap(Self.record) == nil)
            case .removed:
                try await port.remove()
                Self.expectNotFound(try await poll.answer())
            }
            #expect(port.held == 0)
            // In a task of its own.
            try await eventually("the end of its watch") { port.bench.news.waitingCount == 0 }
        }
    }

    @Test("a poll that is answered at once, and one that is refused, hold nothing")
    func atOnce() async throws {
        try await CourierPort.run { port in
            try await port.save("r")
            try await port.arrival(of: "r")
            let found = try await port.poll().goOn()
            #expect(found.flatMap(Self.record) == "r" && port.held == 0)
            try await port.remove()
            let refused = try await port.poll().goOn()
            Self.expectNotFound(try #require(refused))
            #expect(port.held == 0)
            try await eventually("the end of its watch") { port.bench.news.waitingCount == 0 }
        }
    }

    @Test("a poll that is woken without a payload rests on, and at the end of its time alone its answer is empty")
    func end() async throws {
        try await CourierPort.run { port in
            let poll = try port.poll()
            #expect(await poll.goOn() == nil)
            port.time.advance(by: CourierPort.wait - .seconds(1))
            port.bench.news.arrived(port.user)
            try await poll.woken()
            #expect(await poll.goOn() == nil, "it has a second left")
            #expect(port.held == 1)
            Self.expectEmpty(try await port.end(of: poll))
            // A later payload is for the next poll.
            try await port.save("r")
            #expect(Self.record(try await port.poll().answer()) == "r")
        }
    }

    @Test("of several polls of one courier each payload goes to one")
    func sharing() async throws {
        try await CourierPort.run { port in
            let resting = try port.poll()
            #expect(await resting.goOn() == nil)
            for round in 0..<5 {
                let names = ["a\(round)", "b\(round)"]
                async let first = port.poll().answer()
                async let second = port.poll().answer()
                for name in names { try await port.save(name) }
                let found = [Self.record(try await first), Self.record(try await second)].compactMap { $0 }
                #expect(found.sorted() == names)
                // It was rung for as well, and nothing is left.
                try await resting.woken()
                #expect(await resting.goOn() == nil)
            }
            #expect(port.held == 1)
            try await port.save("last")
            #expect(Self.record(try await resting.answer()) == "last")
        }
    }

    @Test("a client that leaves takes nothing: the next poll gets the payload", arguments: [false, true])
    func leaving(whileReading: Bool) async throws {
        try await CourierPort.run { port in
            for round in 0..<3 {
                let poll = try port.poll()
                #expect(await poll.goOn() == nil)
                if whileReading {
                    // The payload is there when the poll goes on.
                    try await port.save("r\(round)")
                    try await port.arrival(of: "r\(round)")
                    #expect(try await poll.goOnCancelled().flatMap(Self.record) == nil)
                } else {
                    poll.leave()
                    try await port.save("r\(round)")
                }
                #expect(Self.record(try await port.poll().answer()) == "r\(round)")
            }
        }
    }

    // MARK: Answers

    private static func json(_ response: HTTPResponse) -> JSONValue? {
        guard case .bytes(let bytes) = response.body else { return nil }
        return try? JSONValue(parsing: bytes)
    }

    /// The record that a payload is about; nil for an answer without one.
    private static func record(_ response: HTTPResponse) -> String? {
        json(response)?["ck"]?["qry"]?["rid"]?.string
    }

    private static func expectEmpty(_ response: HTTPResponse) {
        #expect(response.status == 200 && response.bytesCount == 0)
        #expect(!response.headers.contains { $0.0 == "apns-priority" })
    }

    private static func expectNotFound(_ response: HTTPResponse) {
        #expect(response.status == 404 && json(response)?["serverErrorCode"] == "NOT_FOUND")
    }
}
