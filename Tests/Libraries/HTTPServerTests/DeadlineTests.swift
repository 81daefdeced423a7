import Testing

@testable import HTTPServer

/// Deadlines that a byte now and then does not move.
struct DeadlineTests {
    @Test func headersThatDribbleInAreCutOff() async throws {
        try await withServer(TestHandler(), { $0.timeouts.headers = .milliseconds(400) }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\nX: ")
            let text = try await connection.dribble(String(repeating: "x", count: 50_000), pace: .milliseconds(40))
            // Dribbling all of it would outlast the guard.
            #expect(text.hasPrefix("HTTP/1.1 408 "))
            #expect(text.hasSuffix("refused: requestTimedOut"))
        }
    }

    @Test func requestLineThatDribblesInIsCutOffWithoutAnAnswer() async throws {
        try await withServer(TestHandler(), { $0.timeouts.headers = .milliseconds(400) }) { server in
            let connection = try RawConnection(port: server.port)
            let text = try await connection.dribble(
                "GET /\(String(repeating: "x", count: 1000))", pace: .milliseconds(40))
            #expect(text == "")
        }
    }

    @Test func bodyThatDribblesInIsCutOff() async throws {
        try await withServer(TestHandler(), { $0.timeouts.body = .milliseconds(400) }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
            let text = try await connection.dribble(String(repeating: "x", count: 50_000), pace: .milliseconds(40))
            // Dribbling all of it would outlast the guard.
            #expect(text.hasPrefix("HTTP/1.1 408 "))
        }
    }

    /// A body that takes longer than the time-out may go on while enough of it comes.
    @Test func bodyThatKeepsComingHasMoreTime() async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.timeouts.body = .milliseconds(300)
            configuration.timeouts.bodyBytesPerSecondMinimum = 4
        }
        try await withServer(echo { "\($0.body.count)" }, configure) { server in
            let connection = try RawConnection(port: server.port)
            // The bytes with the head have bought four seconds, so that later ones may be late on a full machine; it
            // takes five and has to buy more.
            let begin = String(repeating: "x", count: 16)
            try connection.send(
                "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 216\r\n\r\n\(begin)")
            let text = try await connection.dribble(String(repeating: "x", count: 200), pace: .milliseconds(25))
            #expect(text.hasSuffix("\r\n\r\n216"))
        }
    }

    /// However much comes, no body takes longer than all may.
    @Test func bodyThatKeepsComingHasAnEnd() async throws {
        let configure = { (configuration: inout HTTPServerConfiguration) in
            configuration.timeouts.body = .milliseconds(300)
            configuration.timeouts.bodyTotal = .milliseconds(700)
            configuration.timeouts.bodyBytesPerSecondMinimum = 1
        }
        try await withServer(TestHandler(), configure) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
            let text = try await connection.dribble(String(repeating: "x", count: 1000), pace: .milliseconds(25))
            #expect(text.hasPrefix("HTTP/1.1 408 "))
        }
    }

    /// A byte now and then keeps no answer: it has to be taken at some pace.
    @Test func answerHasToBeTakenAtSomePace() {
        var timeouts = HTTPServerTimeouts()
        timeouts.idle = .seconds(60)
        timeouts.answerBytesPerSecondMinimum = 1 << 10
        let now = ContinuousClock.now
        var deadline = ConnectionDeadline(opened: now, timeouts: timeouts)
        deadline.requestLine(now)
        #expect(deadline.restsUntil != nil)
        let isInTime = deadline.headersComplete(bodyFollows: false, now)
        #expect(isInTime)
        deadline.answering(bytes: 100 << 10, now)
        let isClosed = deadline.closeResting()
        #expect(deadline.restsUntil == nil && !isClosed)
        let (early, late) = (deadline.check(now + .seconds(159)), deadline.check(now + .seconds(161)))
        #expect(early == .inTime && late == .close)
        // Given up means given up.
        deadline.answered(now + .seconds(162))
        #expect(deadline.phase == .expired)
    }

    /// A client that says all it has to say and ends its side, in one piece, is answered and its connection closed:
    /// long before it would count as idle.
    @Test func connectionThatTheClientEndedIsClosedAfterItsAnswer() async throws {
        try await withServer(TestHandler(), { $0.timeouts.idle = .seconds(60) }) { server in
            for requests in 1...3 {
                let connection = try RawConnection(port: server.port)
                try connection.hold {
                    for _ in 0..<requests { try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
                    connection.finishSending()
                }
                let text = String(decoding: try await connection.rest(), as: UTF8.self)
                #expect(text.split(separator: "HTTP/1.1 200 ").count == requests)
            }
            try await eventually { server.counts.connections == 0 }
        }
    }

    @Test func idleConnectionIsClosed() async throws {
        try await withServer(TestHandler(), { $0.timeouts.idle = .seconds(1) }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await connection.response()
            #expect(try await connection.rest().isEmpty)
        }
    }
}
