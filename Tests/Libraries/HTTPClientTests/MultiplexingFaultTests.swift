import HTTPClient
import Synchronization
import TestSupport
import Testing
import Waiting

/// A connection that ends, a server that refuses, and one that is silent.
@Suite(.hangGuard)
struct MultiplexingFaultTests {
    typealias Answers = [Int: Result<String, HTTPClientError>]

    /// The requests of a test that are held until all are there.
    final class Held: Sendable {
        private let requests = Mutex<[FrameRequest]>([])
        private let count: Int

        init(_ count: Int) { self.count = count }

        /// All, in the order of their streams, with the last one.
        func add(_ request: FrameRequest) -> [FrameRequest]? {
            requests.withLock { requests in
                requests.append(request)
                return requests.count == count ? requests.sorted { $0.stream < $1.stream } : nil
            }
        }
    }

    /// Runs a test with a connection whose window is wide already; the server holds the requests 1000 to 1049, and
    /// `act` gets them when all are there.
    static func withHeldRequests(
        _ act: @escaping @Sendable (FrameConnection, [FrameRequest]) -> Void,
        _ body: (MultiplexedConnection, FrameServer, Answers) async throws -> Void
    ) async throws {
        let held = Held(50)
        try await MultiplexingTests.withConnection(
            streamsMaximum: 1,
            serve: { connection, request in
                connection.settings(streamsMaximum: 200)
                guard (1000..<2000).contains(Int(request.body)!) else {
                    return connection.answer(request, request.body)
                }
                if let all = held.add(request) { act(connection, all) }
            }
        ) { connection, server in
            _ = await MultiplexingTests.send(0..<500, on: connection, to: server)
            let answers = await MultiplexingTests.send(1000..<1050, on: connection, to: server)
            try await body(connection, server, answers)
            // The next connection begins with one stream again.
            let later = await MultiplexingTests.send(2000..<2200, on: connection, to: server)
            #expect(later.compactMapValues { try? $0.get() } == MultiplexingTests.echo(2000..<2200))
            #expect(Set(server.requests).count == server.requests.count, "nothing is sent twice")
            #expect(server.refused.withLock { $0 } == [])
            #expect(connection.connectionsOpened(within: hangGuard) == server.accepted)
        }
    }

    static func failures(_ answers: Answers) -> [HTTPClientError] {
        answers.values.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }

    @Test(
        "a connection that ends fails all its requests, and nobody knows what was processed",
        arguments: [FrameConnection.End.stop, .kill, .reset])
    func end(_ end: FrameConnection.End) async throws {
        try await Self.withHeldRequests({ connection, _ in
            connection.end(end)
        }) { _, server, answers in
            let failures = Self.failures(answers)
            #expect(failures.count == 50)
            for failure in failures {
                #expect(failure.kind == .connectionLost, "\(failure)")
                #expect(failure.retry == .ifIdempotent, "\(failure)")
            }
            #expect(server.accepted <= 2)
        }
    }

    @Test("GOAWAY says which requests were not processed", arguments: [1, 2, 25, 49, 50])
    func goAway(processed: Int) async throws {
        try await Self.withHeldRequests({ connection, requests in
            connection.goAway(last: requests[processed - 1].stream)
            for request in requests.prefix(processed) { connection.answer(request, request.body) }
        }) { _, server, answers in
            let failures = Self.failures(answers)
            // The one that reads the end of a session without other streams cannot know, and says so.
            #expect((50 - processed...51 - processed).contains(failures.count))
            let refused = failures.count { $0.kind == .refused && $0.retry == .always }
            #expect(refused >= (LoadedLibrary.isEighth ? 0 : 49 - processed), "\(failures)")
            #expect(failures.allSatisfy { $0.kind == .refused || $0.retry == .ifIdempotent }, "\(failures)")
            #expect(server.accepted <= 2)
        }
    }

    @Test("requests that come while a connection drains go to the next one")
    func drain() async throws {
        let held = Held(50)
        let drained = Event<(FrameConnection, [FrameRequest])>()
        try await MultiplexingTests.withConnection(serve: { connection, request in
            guard (1000..<2000).contains(Int(request.body)!) else { return connection.answer(request, request.body) }
            if let all = held.add(request) {
                connection.goAway(last: all[24].stream)
                drained.happen((connection, all))
            }
        }) { connection, server in
            _ = await MultiplexingTests.send(0..<500, on: connection, to: server)
            async let answers = MultiplexingTests.send(1000..<1050, on: connection, to: server)
            let (draining, all) = await drained.value
            async let later = MultiplexingTests.send(2000..<2200, on: connection, to: server)
            for request in all.prefix(25) { draining.answer(request, request.body) }
            // Those that were sent before the client had read of the end were not processed, and are sent again.
            var answered = await later
            for (body, answer) in answered {
                guard case .failure(let error) = answer, error.retry != .never else { continue }
                answered.merge(await MultiplexingTests.send(body..<body + 1, on: connection, to: server)) { $1 }
            }
            #expect(answered.compactMapValues { try? $0.get() } == MultiplexingTests.echo(2000..<2200))
            let failures = Self.failures(await answers)
            #expect((25...26).contains(failures.count))
            let refused = failures.count { $0.retry == .always }
            #expect(refused >= (LoadedLibrary.isEighth ? 0 : 24), "\(failures)")
            #expect(server.accepted == 2)
        }
    }

    /// libcurl drops answers that arrive together with the end of their connection, so nobody knows of those.
    @Test("no request that was processed counts as refused", arguments: [0, 1, 25, 50], [true, false])
    func goAwayAndEnd(processed: Int, ends: Bool) async throws {
        let answered = Mutex<Set<Int>>([])
        try await Self.withHeldRequests({ connection, requests in
            answered.withLock { $0 = Set(requests.prefix(processed).map { Int($0.body)! }) }
            connection.goAway(last: processed == 0 ? 0 : requests[processed - 1].stream)
            for request in requests.prefix(processed) { connection.answer(request, request.body) }
            if ends { connection.end(.stop) }
        }) { _, server, answers in
            for (body, answer) in answers where answered.withLock({ $0.contains(body) }) {
                if case .failure(let failure) = answer { #expect(failure.retry == .ifIdempotent, "\(failure)") }
            }
            #expect(server.accepted <= 2)
        }
    }

    @Test("a refused request was not processed", arguments: [1, 10, 50])
    func refused(count: Int) async throws {
        try await Self.withHeldRequests({ connection, requests in
            for (number, request) in requests.enumerated() {
                if number < count {
                    connection.reset(request, code: 7)
                } else {
                    connection.answer(request, request.body)
                }
            }
        }) { _, server, answers in
            let failures = Self.failures(answers)
            #expect(failures.count == count)
            for failure in failures {
                #expect(failure.kind == (LoadedLibrary.isEighth ? .connectionLost : .refused), "\(failure)")
                #expect(failure.retry == (LoadedLibrary.isEighth ? .ifIdempotent : .always), "\(failure)")
            }
            #expect(server.accepted <= 2)
        }
    }

    @Test(
        "nobody knows about a request that was reset for another reason", arguments: [1, 2, 5, 8, 11, 13] as [UInt32])
    func reset(code: UInt32) async throws {
        try await Self.withHeldRequests({ connection, requests in
            connection.reset(requests[7], code: code)
            for (number, request) in requests.enumerated() where number != 7 {
                connection.answer(request, request.body)
            }
        }) { _, server, answers in
            let failures = Self.failures(answers)
            #expect(failures.count == 1)
            #expect(failures.first?.retry == .ifIdempotent, "\(failures)")
            #expect(server.accepted <= 2)
        }
    }

    @Test(
        "a connection that was lost while it was idle is replaced by one that begins with one stream",
        arguments: [FrameConnection.End.stop, .kill, .reset])
    func idleLoss(_ end: FrameConnection.End) async throws {
        let connections = Mutex<[FrameConnection]>([])
        try await MultiplexingTests.withConnection(
            streamsMaximum: 1,
            serve: { connection, request in
                connections.withLock { $0.append(connection) }
                connection.settings(streamsMaximum: 200)
                connection.answer(request, request.body)
            }
        ) { connection, server in
            for round in 0..<10 {
                let bodies = round * 1000..<round * 1000 + 200
                let answers = await MultiplexingTests.send(bodies, on: connection, to: server)
                #expect(answers.compactMapValues { try? $0.get() } == MultiplexingTests.echo(bodies))
                let last = connections.withLock { $0.removeLast() }
                last.end(end)
                // Closed on the server's side before the next round.
                try await eventually("the connection is gone") { server.connectionsOpen == 0 }
            }
            #expect(Set(server.requests).count == server.requests.count)
        }
    }

    @Test("a silent connection is left after a time-out")
    func silence() async throws {
        try await MultiplexingTests.withConnection(serve: { connection, request in
            if !(1000..<2000).contains(Int(request.body)!) { connection.answer(request, request.body) }
        }) { connection, server in
            _ = await MultiplexingTests.send(0..<100, on: connection, to: server)
            let answers = await MultiplexingTests.send(
                1000..<1010, on: connection, to: server, timeout: .milliseconds(200))
            for failure in Self.failures(answers) {
                #expect([.timedOut, .connectionLost].contains(failure.kind), "\(failure)")
                #expect(failure.retry == .ifIdempotent, "\(failure)")
            }
            #expect(Self.failures(answers).count == 10)
            let later = await MultiplexingTests.send(2000..<2100, on: connection, to: server)
            #expect(later.compactMapValues { try? $0.get() } == MultiplexingTests.echo(2000..<2100))
            #expect(server.accepted == 2)
        }
    }

    @Test("an answer that comes too slowly fails alone")
    func slowBytes() async throws {
        let ended = Mutex(false)
        try await MultiplexingTests.withConnection(serve: { connection, request in
            if request.body != "1000" { return connection.answer(request, request.body) }
            connection.answer(request, ends: false)
            DedicatedThread.start {
                while !ended.withLock({ $0 }) {
                    connection.data(request, [0x78], ends: false)
                    DedicatedThread.pause(milliseconds: 20)
                }
            }
        }) { connection, server in
            _ = await MultiplexingTests.send(0..<100, on: connection, to: server)
            let answers = await MultiplexingTests.send(
                1000..<1001, on: connection, to: server, timeout: .milliseconds(300))
            ended.withLock { $0 = true }
            #expect(Self.failures(answers).map(\.kind) == [.timedOut])
            #expect(Self.failures(answers).map(\.retry) == [.ifIdempotent])
            let later = await MultiplexingTests.send(2000..<2100, on: connection, to: server)
            #expect(later.compactMapValues { try? $0.get() } == MultiplexingTests.echo(2000..<2100))
            #expect(server.accepted == 1)
        }
    }

    @Test("a request whose time ends before it is sent was not processed")
    func overdue() async throws {
        let came = Event<(FrameConnection, FrameRequest)>()
        try await MultiplexingTests.withConnection(serve: { connection, request in
            if request.body == "0" { return came.happen((connection, request)) }
            connection.answer(request, request.body)
        }) { connection, server in
            let first = Task { try await connection.send(MultiplexingTests.request(0, to: server)).text }
            let (held, request) = await came.value
            let answers = await MultiplexingTests.send(1..<20, on: connection, to: server, timeout: .milliseconds(100))
            #expect(Self.failures(answers).count == 19)
            #expect(Self.failures(answers).allSatisfy { $0.kind == .timedOut && $0.retry == .always })
            held.answer(request, "0")
            let answer = try await first.value
            #expect(answer == "0")
            #expect(server.requests == ["0"])
        }
    }

    @Test("where no server is, all requests fail after one attempt")
    func noServer() async throws {
        try await MultiplexingTests.withConnection(serve: { $0.answer($1, $1.body) }) { connection, server in
            _ = await MultiplexingTests.send(0..<500, on: connection, to: server)
            server.stop()
            try await eventually("the server is gone") { server.connectionsOpen == 0 }
            let answers = await MultiplexingTests.send(1000..<1200, on: connection, to: server)
            let failures = Self.failures(answers)
            #expect(failures.count == 200)
            #expect(failures.allSatisfy { $0.retry == .always }, "\(failures.first { $0.retry != .always }!)")
            // A request that came after the first failure tries again.
            #expect(connection.connectionsOpened(within: hangGuard) <= 20)
        }
    }

    @Test(
        "bytes that are no HTTP/2 are an error",
        .disabled(if: LoadedLibrary.isEighth, "libcurl 8 takes them for silence, until the deadline"))
    func garbage() async throws {
        try await MultiplexingTests.withConnection(serve: { connection, request in
            if request.body == "0" { connection.write(type: 0, flags: 0, stream: 0, Array("HTTP/1.1 200 OK".utf8)) }
            connection.answer(request, request.body)
        }) { connection, server in
            let answers = await MultiplexingTests.send(0..<1, on: connection, to: server)
            #expect(Self.failures(answers).map(\.retry) == [.ifIdempotent])
            let answer = try await connection.send(MultiplexingTests.request(1, to: server))
            #expect(answer.text == "1")
        }
    }
}
