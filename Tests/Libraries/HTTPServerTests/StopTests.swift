import HTTPServer
import TestSupport
import Testing

/// An end that lets requests finish.
struct StopTests {
    @Test func heldAnswersAreRefusedAndStreamsFinished() async throws {
        let gate = HeldAnswerTests.Gate()
        let ends = Signal<HTTPStreamEnd>()
        let opened = Signal<HTTPResponseStream>()
        let handler = TestHandler(answering: { request in
            if request.path == "/stream" {
                let stream = HTTPResponseStream()
                stream.onClose { ends.send($0) }
                stream.write(Array("last words".utf8))
                opened.send(stream)
                return .now(HTTPResponse(status: 200, body: .stream(stream)))
            }
            return .held { _ in
                await gate.pass()
                return .text("woken")
            }
        })
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: handler)
        let held = try (0..<50).map { _ in try RawConnection(port: server.port) }
        for connection in held { try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        let streaming = try RawConnection(port: server.port)
        try streaming.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
        try await gate.entered.atLeast(50)
        _ = try await opened.first()

        // A server that waited for the grace period would outlast the guard.
        try await within("the stop") { await server.stop(grace: hangGuard * 2) }
        for connection in held {
            let response = try await connection.response()
            #expect(response.status == 503)
            #expect(response.text == "refused: stopping")
            #expect(response["Connection"] == "close")
        }
        #expect(try await streaming.response().text == "last words")
        #expect(ends.values == [.finished])
        try await gate.cancelled.atLeast(50)
        #expect(server.counts == HTTPServerCounts())
        #expect(throws: RawConnection.Failure.self) { try RawConnection(port: server.port) }
    }

    @Test func runningRequestsFinishAndNewOnesAreRefused() async throws {
        let gate = HeldAnswerTests.Gate()
        let server = try await HTTPServer.start(
            HTTPServerConfiguration(), handler: HeldAnswerTests.handler(gate, .later))
        let running = try RawConnection(port: server.port)
        try running.send("GET /running HTTP/1.1\r\nHost: h\r\n\r\n")
        let kept = try (0..<2).map { _ in try RawConnection(port: server.port) }
        for connection in kept {
            try connection.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await connection.response().text == "now")
        }
        try await gate.entered.atLeast(1)
        // A request is counted until some time after its answer was read.
        try await eventually { server.counts.requests == 1 }
        let uploading = try RawConnection(port: server.port)
        try uploading.send("POST /now HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab")
        // The upload has begun when its request is counted.
        try await eventually { server.counts.requests == 2 }

        async let stopped: Void = server.stop(grace: .seconds(30))
        var response: RawConnection.Response
        repeat {
            // Until the server has heard that it is to stop.
            try kept[0].send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            response = try await kept[0].response()
        } while response["Connection"] != "close"
        try kept[1].send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
        response = try await kept[1].response()
        #expect(response.status == 503)
        #expect(response.text == "refused: stopping")
        #expect(gate.cancelled.values.isEmpty)
        try uploading.send("cd")
        #expect(try await uploading.response().text == "now")
        gate.open()
        response = try await running.response()
        #expect(response.text == "woken /running")
        #expect(response["Connection"] == "close")
        await stopped
        await server.stop()
    }

    @Test func graceIsAllThatStubbornWorkGets() async throws {
        let entered = Signal<Void>()
        let release = HeldAnswerTests.Gate()
        let handler = TestHandler(answering: { request in
            if request.path == "/stream" {
                return .now(HTTPResponse(status: 200, body: .stream(HTTPResponseStream())))
            }
            return .later {
                entered.send()
                // Deaf to its cancellation.
                await Task { await release.pass() }.value
                return .text("too late")
            }
        })
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: handler)
        let connection = try RawConnection(port: server.port)
        try connection.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        let unfinished = try RawConnection(port: server.port)
        try unfinished.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nab")
        try await entered.atLeast(1)
        try await eventually { server.counts.requests == 2 }
        // The work ends only afterwards.
        try await within("the stop") { await server.stop(grace: .milliseconds(100)) }
        #expect(try await connection.response().text == "refused: stopping")
        release.open()
        #expect(String(decoding: try await unfinished.rest(), as: UTF8.self).hasSuffix("refused: stopping"))
    }

    /// Everything at once, again and again: a stop that meets connections coming, waiting and leaving.
    @Test(arguments: 0..<5)
    func stoppingInTheMiddleOfTrafficNeitherHangsNorCrashes(round: Int) async throws {
        let gate = HeldAnswerTests.Gate()
        let server = try await HTTPServer.start(HTTPServerConfiguration(), handler: HeldAnswerTests.handler(gate))
        let port = server.port
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    while let connection = try? RawConnection(port: port) {
                        let path = number.isMultiple(of: 2) ? "/held" : "/now"
                        try? connection.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                        if number.isMultiple(of: 3) {
                            await Task.yield()
                            continue
                        }
                        guard let response = try? await connection.response() else { continue }
                        if response.status == 503 { break }
                    }
                }
            }
            group.addTask {
                _ = try? await gate.entered.atLeast(10)
                await server.stop(grace: .seconds(5))
            }
        }
        #expect(server.counts.connections == 0)
    }
}
