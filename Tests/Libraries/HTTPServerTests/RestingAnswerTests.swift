import HTTPServer
import Synchronization
import Testing

/// Requests that wait without a task: what wakes them, what ends them, and that each is let go of once.
struct RestingAnswerTests {
    /// Rests until it is rung.
    final class Rest: HTTPResting {
        private struct State {
            var wake: (@Sendable () -> Void)?
            var isRung = false
        }
        private let state = Mutex(State())
        let turns = Atomic(0)
        let rested = Signal<Void>()
        let left = Signal<Void>()

        func ring() {
            let wake = state.withLock { state in
                if state.wake == nil { state.isRung = true }
                return state.wake.take()
            }
            wake?()
        }

        func rest(_ wake: @escaping @Sendable () -> Void) {
            let isRung = state.withLock { state in
                defer { state.isRung = false }
                if !state.isRung { state.wake = wake }
                return state.isRung
            }
            rested.send()
            if isRung { wake() }
        }

        func leave() {
            state.withLock { $0.wake = nil }
            left.send()
        }
    }

    /// Answers `/now` at once; everything else rests with what `rest` gives it until it has woken `turns` times.
    private static func handler(turns: Int = 1, _ rest: @escaping @Sendable (String) -> Rest) -> TestHandler {
        TestHandler(answering: { request in
            guard request.path != "/now" else { return .now(.text("now")) }
            return .held { rested in
                guard let rested = rested as? Rest else {
                    return HTTPResponse(status: 200, body: .resting(rest(request.path)))
                }
                let count = rested.turns.add(1, ordering: .relaxed).newValue
                if count < turns { return HTTPResponse(status: 200, body: .resting(rested)) }
                return .text("woken \(count) times \(request.path)")
            }
        })
    }

    @Test(arguments: [1, 3])
    func restingAnswersContinueOnWakeup(turns: Int) async throws {
        let rest = Rest()
        try await withServer(Self.handler(turns: turns) { _ in rest }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            for turn in 1...turns {
                try await rest.rested.atLeast(turn)
                #expect(server.counts.waiting == 1)
                #expect(rest.left.values.isEmpty)
                rest.ring()
            }
            #expect(try await connection.response().text == "woken \(turns) times /a")
            try await rest.left.atLeast(1)
            // The connection goes on, and nothing rests any more.
            try connection.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "now")
            #expect(server.counts.waiting == 0)
            #expect(rest.left.values.count == 1)
        }
    }

    @Test func ringBeforeTheRestWakesAtOnce() async throws {
        try await withServer(
            Self.handler { _ in
                let rest = Rest()
                rest.ring()
                return rest
            }
        ) { server in
            let connection = try RawConnection(port: server.port)
            for number in 0..<100 {
                try connection.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await connection.response().text == "woken 1 times /\(number)")
            }
            #expect(server.counts.waiting == 0)
        }
    }

    @Test(arguments: [true, false])
    func clientThatLeavesIsLetGoOfOnce(resets: Bool) async throws {
        let rest = Rest()
        try await withServer(Self.handler { _ in rest }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try await rest.rested.atLeast(1)
            if resets { connection.reset() } else { connection.close() }
            try await rest.left.atLeast(1)
            #expect(server.counts.waiting == 0)
            // Too late: nobody goes on.
            rest.ring()
            #expect(rest.left.values.count == 1)
        }
    }

    @Test func restThatTakesTooLongIsAnswered() async throws {
        let rest = Rest()
        try await withServer(Self.handler { _ in rest }, { $0.timeouts.answer = .milliseconds(50) }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "refused: answerTimedOut")
            try await rest.left.atLeast(1)
            #expect(server.counts.waiting == 0)
        }
    }

    @Test func aStoppingServerRefusesRestingAnswers() async throws {
        let rest = Rest()
        let answer = Mutex<Task<String, any Error>?>(nil)
        try await withServer(Self.handler { _ in rest }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try await rest.rested.atLeast(1)
            answer.withLock { $0 = Task { try await connection.response().text } }
        }
        #expect(try await answer.withLock { $0 }?.value == "refused: stopping")
        try await rest.left.atLeast(1)
        #expect(rest.left.values.count == 1)
    }

    /// Wakes and leaves at the same time, many times: each request is let go of once.
    @Test func wakingAndLeavingMeet() async throws {
        let rests = Mutex<[Rest]>([])
        let begun = Signal<Void>()
        try await withServer(
            Self.handler { _ in
                let rest = Rest()
                rests.withLock { $0.append(rest) }
                begun.send()
                return rest
            }
        ) { server in
            for round in 1...100 {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                try await begun.atLeast(round)
                let rest = rests.withLock { $0[round - 1] }
                let ringing = Task { rest.ring() }
                connection.reset()
                await ringing.value
                try await rest.left.atLeast(1)
            }
            #expect(rests.withLock { $0.allSatisfy { $0.left.values.count == 1 } })
            try await eventually { server.counts.waiting == 0 }
        }
    }
}
