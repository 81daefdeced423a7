import HTTPServer
import Synchronization
import Testing

/// Held answers: their wakeups, their ends, and the reports of these.
struct HeldAnswerTests {
    /// Waits until it is opened or its task is cancelled.
    final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
            var last = 0
        }

        private let state = Mutex(State())
        let entered = Signal<Void>()
        let cancelled = Signal<Void>()

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [:] }
                return state.waiting.values
            }
            for continuation in waiting { continuation.resume(returning: true) }
        }

        func pass() async {
            let number = state.withLock { state in
                state.last += 1
                return state.last
            }
            let isOpen = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOpen: Bool? = state.withLock { state in
                        if state.isOpen { return true }
                        if Task.isCancelled { return false }
                        state.waiting[number] = continuation
                        return nil
                    }
                    entered.send()
                    if let isOpen { continuation.resume(returning: isOpen) }
                }
            } onCancel: {
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
            }
            if !isOpen { cancelled.send() }
        }
    }

    enum Kind: CaseIterable { case later, held }

    static func handler(_ gate: Gate, _ kind: Kind = .held) -> TestHandler {
        TestHandler(answering: { request in
            guard request.path != "/now" else { return .now(.text("now")) }
            let work: @Sendable () async -> HTTPResponse = {
                await gate.pass()
                return .text("woken \(request.path)")
            }
            return kind == .held ? .held { _ in await work() } : .later(work)
        })
    }

    @Test func twoHundredAnswersAreHeldWhileOthersAreAnsweredAndAllAreWoken() async throws {
        let gate = Gate()
        try await withServer(Self.handler(gate)) { server in
            let connections = try (0..<200).map { number in
                let connection = try RawConnection(port: server.port)
                try connection.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                return connection
            }
            try await gate.entered.atLeast(200)
            #expect(server.counts.waiting == 200)
            let other = try RawConnection(port: server.port)
            try other.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await other.response().text == "now")
            gate.open()
            for (number, connection) in connections.enumerated() {
                #expect(try await connection.response().text == "woken /\(number)")
            }
            #expect(server.counts.waiting == 0)
        }
    }

    @Test func connectionOfAHeldAnswerIsUsedAgain() async throws {
        let gate = Gate()
        gate.open()
        try await withServer(Self.handler(gate)) { server in
            let connection = try RawConnection(port: server.port)
            for number in 0..<100 {
                try connection.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try await connection.response().text == "woken /\(number)")
            }
        }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func clientThatLeavesCancelsTheWork(kind: Kind, resets: Bool) async throws {
        let gate = Gate()
        try await withServer(Self.handler(gate, kind)) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            try await gate.entered.atLeast(1)
            if resets { connection.reset() } else { connection.close() }
            try await gate.cancelled.atLeast(1)
        }
    }

    /// The second request is already there when the first one's client is watched.
    @Test func clientThatLeavesAfterPipeliningIsNoticed() async throws {
        let gate = Gate()
        try await withServer(Self.handler(gate)) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 3))
            try await gate.entered.atLeast(1)
            connection.finishSending()
            try await gate.cancelled.atLeast(1)
            #expect(try await connection.rest().isEmpty)
        }
    }

    @Test func workThatTakesTooLongIsCancelledAndAnswered() async throws {
        let gate = Gate()
        try await withServer(Self.handler(gate), { $0.timeouts.answer = .milliseconds(50) }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let response = try await connection.response()
            #expect(response.status == 503)
            #expect(response.text == "refused: answerTimedOut")
            try await gate.cancelled.atLeast(1)
            try connection.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "now")
        }
    }

    /// The body decides the answer, so it must all be there before the work begins.
    @Test func workBeginsWhenTheBodyIsComplete() async throws {
        let begun = Signal<Int>()
        let handler = TestHandler(answering: { request in
            begun.send(request.body.count)
            return .later { .text("\(request.body.count)") }
        })
        try await withServer(handler) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc")
            let other = try RawConnection(port: server.port)
            try other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await other.response().text == "0")
            #expect(begun.values == [0])
            try connection.send("def")
            #expect(try await connection.response().text == "6")
            #expect(begun.values == [0, 6])
        }
    }
}
