import HTTPClient
import Synchronization
import TestSupport
import Testing

/// Many requests on one connection.
@Suite(.hangGuard)
struct MultiplexingTests {
    /// Runs a test with a server that answers as `serve` says and a connection to it.
    static func withConnection(
        streamsMaximum: Int? = nil, _ configure: (inout MultiplexingConfiguration) -> Void = { _ in },
        serve: @escaping @Sendable (FrameConnection, FrameRequest) -> Void,
        _ body: (MultiplexedConnection, FrameServer) async throws -> Void
    ) async throws {
        let server = FrameServer(streamsMaximum: streamsMaximum, serve)
        var configuration = MultiplexingConfiguration()
        configuration.caFile = TestCertificate.shared.file
        let counted = Mutex(0)
        configuration.connecting = { counted.withLock { $0 += 1 } }
        configure(&configuration)
        let connection = MultiplexedConnection(to: server.url, configuration)
        let result: Result<Void, any Error>
        do {
            try await body(connection, server)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await connection.close()
        server.stop()
        #expect(counted.withLock { $0 } == connection.connectionsOpened(within: hangGuard))
        try result.get()
    }

    static func request(_ body: Int, to server: FrameServer, timeout: Duration = hangGuard) -> HTTPClientRequest {
        var request = HTTPClientRequest("POST", "\(server.url)/3/device/\(body)", body: .bytes(Array("\(body)".utf8)))
        request.timeout = timeout
        return request
    }

    /// Sends requests with these bodies at once. The answers by body: the text, or the error.
    static func send(
        _ bodies: Range<Int>, on connection: MultiplexedConnection, to server: FrameServer,
        timeout: Duration = hangGuard
    ) async -> [Int: Result<String, HTTPClientError>] {
        await withTaskGroup(of: (Int, Result<String, HTTPClientError>).self) { group in
            for body in bodies {
                group.addTask {
                    do {
                        return (
                            body, .success(try await connection.send(request(body, to: server, timeout: timeout)).text)
                        )
                    } catch let error as HTTPClientError {
                        return (body, .failure(error))
                    } catch {
                        fatalError("\(error)")
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    static func echo(_ bodies: Range<Int>) -> [Int: String] {
        Dictionary(uniqueKeysWithValues: bodies.map { ($0, "\($0)") })
    }

    @Test("an answer has status, headers and body, and the next request uses the same connection")
    func oneRequest() async throws {
        try await Self.withConnection(serve: { connection, request in
            connection.answer(request, status: 410, headers: [("apns-id", "a"), ("x", "1"), ("x", "2")], "{}")
        }) { connection, server in
            for body in 0..<3 {
                let answer = try await connection.send(Self.request(body, to: server))
                #expect(answer.status == 410)
                #expect(answer.headers["Apns-Id"] == "a")
                #expect(answer.headers.values("x") == ["1", "2"])
                #expect(answer.text == "{}")
            }
            #expect(server.requests == ["0", "1", "2"])
            #expect(server.accepted == 1)
            #expect(connection.connectionsOpened(within: hangGuard) == 1)
        }
    }

    @Test(
        "200 requests at once arrive once each at a server that first allows one stream",
        arguments: [1, 2, 7, 100] as [Int], [nil, 1, 1000] as [Int?])
    func firstLimit(first: Int, later: Int?) async throws {
        try await Self.withConnection(
            streamsMaximum: first,
            serve: { connection, request in
                if let later { connection.settings(streamsMaximum: later) }
                connection.answer(request, request.body)
            }
        ) { connection, server in
            let answers = await Self.send(0..<200, on: connection, to: server)
            #expect(answers.compactMapValues { try? $0.get() } == Self.echo(0..<200))
            #expect(Set(server.requests).count == 200)
            #expect(server.requests.count == 200)
            #expect(server.accepted == 1)
        }
    }

    @Test("thousands of requests arrive on one connection, never more at once than the window has")
    func thousands() async throws {
        try await Self.withConnection({ $0.streamsMaximum = 64 }, serve: { $0.answer($1, $1.body) }) {
            connection, server in
            let answers = await Self.send(0..<5000, on: connection, to: server)
            #expect(answers.compactMapValues { try? $0.get() } == Self.echo(0..<5000))
            #expect(server.requests.count == 5000)
            #expect(server.accepted == 1)
            #expect(server.openMaximum.withLock { $0 } <= 64)
        }
    }

    @Test("more streams than libcurl's own hundred are open at once")
    func wideWindow() async throws {
        let held = Mutex<[FrameRequest]>([])
        try await Self.withConnection(
            { $0.streamsMaximum = 300 },
            serve: { connection, request in
                guard Int(request.body)! >= 1000 else { return connection.answer(request, request.body) }
                let all = held.withLock { held in
                    held.append(request)
                    return held.count == 300 ? held : []
                }
                for request in all { connection.answer(request, request.body) }
            }
        ) { connection, server in
            _ = await Self.send(0..<1000, on: connection, to: server)
            let answers = await Self.send(1000..<1300, on: connection, to: server)
            #expect(answers.compactMapValues { try? $0.get() } == Self.echo(1000..<1300))
        }
    }

    @Test("a limit that shrinks is kept")
    func shrinkingLimit() async throws {
        let count = Mutex(0)
        try await Self.withConnection(
            streamsMaximum: 100,
            serve: { connection, request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                // Those on their way are above it; a server takes them.
                if number % 100 == 0 { connection.announce(streamsMaximum: max(1, 100 - number / 10)) }
                connection.answer(request, request.body)
            }
        ) { connection, server in
            let answers = await Self.send(0..<1000, on: connection, to: server)
            #expect(answers.compactMapValues { try? $0.get() } == Self.echo(0..<1000))
            #expect(server.accepted == 1)
        }
    }

    @Test("an answer that is too large ends at the limit, and the connection is left")
    func hugeAnswer() async throws {
        try await Self.withConnection(
            { $0.responseBytesMaximum = 4096 },
            serve: { connection, request in
                connection.answer(request, String(repeating: "x", count: request.body == "0" ? 1 << 20 : 4096))
            }
        ) { connection, server in
            for body in 0..<3 {
                let answer = try await connection.send(Self.request(body, to: server))
                #expect(answer.status == 200)
                #expect(answer.body.count == 4096)
            }
            // The server would go on to send the rest.
            #expect(server.accepted == 2)
        }
    }

    @Test("a head that is too large is an error, and the connection stays")
    func hugeHead() async throws {
        let fields = (0..<120).map { ("x-\($0)", String(repeating: "y", count: 120)) }
        try await Self.withConnection(serve: { connection, request in
            connection.answer(request, headers: request.body == "0" ? fields + fields : [], "")
        }) { connection, server in
            await #expect { try await connection.send(Self.request(0, to: server)) } throws: {
                ($0 as? HTTPClientError)?.kind == .responseTooLarge
            }
            let answer = try await connection.send(Self.request(1, to: server))
            #expect(answer.status == 200)
        }
    }

    @Test("a request that is cancelled ends alone")
    func cancellation() async throws {
        let came = Event<Void>()
        try await Self.withConnection(serve: { connection, request in
            if request.body == "1" { return came.happen() }
            connection.answer(request, request.body)
        }) { connection, server in
            _ = await Self.send(10..<20, on: connection, to: server)
            let task = Task { try await connection.send(Self.request(1, to: server)) }
            await came.value
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let answers = await Self.send(20..<120, on: connection, to: server)
            #expect(answers.compactMapValues { try? $0.get() } == Self.echo(20..<120))
            #expect(server.accepted == 1)
        }
    }

    @Test("a connection whose places are taken by requests that were given up is replaced")
    func abandonedPlaces() async throws {
        let came = Mutex(0)
        try await Self.withConnection(
            streamsMaximum: 20, { $0.streamsMaximum = 20 },
            serve: { connection, request in
                if request.body == "1" { return came.withLock { $0 += 1 } }
                connection.answer(request, request.body)
            }
        ) { connection, server in
            _ = await Self.send(100..<200, on: connection, to: server)
            for round in 1...20 {
                let task = Task { try await connection.send(Self.request(1, to: server)) }
                try await eventually("the request is there") { came.withLock { $0 } == round }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            let answers = await Self.send(200..<300, on: connection, to: server)
            #expect(answers.compactMapValues { try? $0.get() } == Self.echo(200..<300))
            #expect(server.accepted == 5)
        }
    }

    @Test("a waiting request that is cancelled is never sent")
    func cancelledWaiting() async throws {
        let came = Event<(FrameConnection, FrameRequest)>()
        try await Self.withConnection(serve: { connection, request in
            if request.body == "0" { return came.happen((connection, request)) }
            connection.answer(request, request.body)
        }) { connection, server in
            let first = Task { try await connection.send(Self.request(0, to: server)).text }
            let (held, request) = await came.value
            let waiting = (1..<20).map { body in
                Task { try await connection.send(Self.request(body, to: server)).text }
            }
            for task in waiting { task.cancel() }
            for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
            held.answer(request, "0")
            let answer = try await first.value
            #expect(answer == "0")
            #expect(server.requests == ["0"])
        }
    }

    @Test("requests to another server and bodies from files are refused")
    func foreignRequests() async throws {
        try await Self.withConnection(serve: { $0.answer($1) }) { connection, server in
            for url in [
                "https://127.0.0.1:1/", "\(server.url)0/", "\(server.url)@host/", server.url, "\(server.url)?a",
            ] {
                await #expect { try await connection.send(HTTPClientRequest("GET", url)) } throws: {
                    ($0 as? HTTPClientError)?.kind == .invalidRequest
                }
            }
            let file = HTTPClientRequest("POST", "\(server.url)/", body: .file(path: "/etc/hostname"))
            await #expect { try await connection.send(file) } throws: {
                ($0 as? HTTPClientError)?.kind == .invalidRequest
            }
            #expect(server.accepted == 0)
        }
    }

    @Test("a closed connection ends current and later requests")
    func closing() async throws {
        let came = Event<Void>()
        try await Self.withConnection(serve: { _, _ in came.happen() }) { connection, server in
            let tasks = (0..<5).map { body in Task { try await connection.send(Self.request(body, to: server)) } }
            await came.value
            await connection.close()
            for task in tasks {
                await #expect { try await task.value } throws: { ($0 as? HTTPClientError)?.kind == .closed }
            }
            await #expect { try await connection.send(Self.request(9, to: server)) } throws: {
                ($0 as? HTTPClientError)?.kind == .closed
            }
        }
    }
}
